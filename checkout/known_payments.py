"""Find the payment that a customer came from when the requested page is not about one."""

from django.http import HttpRequest

from checkout.browser_session import asked_code
from core.ids import is_id
from payments.models import Payment


def known_payment(request: HttpRequest) -> str:
    """Return the path of the payment that the customer came from, if known; or ""."""
    asked = asked_code(request)
    named = (
        *request.path.split("/"),
        request.GET.get("payment", ""),
        asked.payment_id if asked else "",
    )
    ids = [name for name in named if is_id("pay", name)]
    found = Payment.objects.filter(pk__in=ids).first() if ids else None
    return found.hosted_url if found else ""
