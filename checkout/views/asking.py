"""Ask for a new payment to replace one that ended unpaid, and wait for it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from checkout.headers import uncacheable_json
from checkout.pages import SeeOther
from checkout.payment_pages import PaymentPage
from payments.errors import PaymentNotFound
from payments.replacements import replaced_by, request_replacement

NOT_YET = "none"


class AskAction(PaymentPage):
    """The target of the button on an ended payment's page. A GET redirects to the payment."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return SeeOther(self.payment.hosted_url)

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        request_replacement(payment_id=payment_id, now=self.now)
        return SeeOther(self.payment.hosted_url)


@require_safe
def replacement(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Return the payment that has replaced this one, for the page that polls for it."""
    try:
        version = replaced_by(payment_id) or NOT_YET
    except PaymentNotFound:
        raise Http404 from None
    return uncacheable_json({"version": version})
