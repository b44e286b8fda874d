"""Asking for a new payment in place of one that ended unpaid, and waiting for it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from checkout.headers import of_the_moment
from checkout.pages import SeeOther
from checkout.payment_pages import PaymentPage
from payments.errors import PaymentNotFound
from payments.replacements import replaced_by, request_replacement

NOT_YET = "none"


class AskAction(PaymentPage):
    """A button of the page of an end. Opening its address shows the payment."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return SeeOther(self.payment.hosted_url)

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        request_replacement(payment_id=payment_id, now=self.now)
        return SeeOther(self.payment.hosted_url)


@require_safe
def replacement(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Tell which payment has come in place of this one, for the page that waits for it."""
    try:
        version = replaced_by(payment_id) or NOT_YET
    except PaymentNotFound:
        raise Http404 from None
    return of_the_moment({"version": version})
