"""Which payment a customer was at, where the page that they asked for is none."""

from django.http import HttpRequest

from checkout.browser_session import asked_code
from core.ids import is_id
from payments.models import Payment


def known_payment(request: HttpRequest) -> str:
    """Return the address of the payment that the customer was at, if it can be told."""
    asked = asked_code(request)
    named = (
        *request.path.split("/"),
        request.GET.get("payment", ""),
        asked.payment_id if asked else "",
    )
    ids = [name for name in named if is_id("pay", name)]
    found = Payment.objects.filter(pk__in=ids).first() if ids else None
    return found.hosted_url if found else ""
