"""Error pages for customers where no view of ours answers; API callers get JSON."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from checkout.endings import STILL, Ending
from checkout.known_payments import known_payment
from checkout.pages import CheckoutPage, Detour
from core import handler
from core.errors import ApiError, InternalError, NotFound

PAGES = ("/checkout/", "/pay/", "/counter/", "/receipts/", "/account")
FORBIDDEN = 403


class StoppedPage(CheckoutPage):
    """Says what has stopped the customer, whatever they asked for."""

    error: ApiError = NotFound()

    def prepare(self) -> None:
        raise self.error


class OldFormPage(CheckoutPage):
    """A form without its token: the page was open too long, or another site sent it."""

    def prepare(self) -> None:
        end = Ending(
            _("This page was open too long"),
            STILL,
            _("For your safety, nothing was done. No money has been taken."),
            next=_("Open it again, and try once more."),
            again_address=known_payment(self.request),
            again_words=_("Continue with the payment"),
        )
        raise Detour(self.page("stopped.html", end=end, status=FORBIDDEN))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer an unknown address."""
    if request.path.startswith(PAGES):
        return StoppedPage.as_view(error=NotFound())(request)
    return handler.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """Answer where a view that is no page has failed."""
    if request.path.startswith(PAGES):
        return StoppedPage.as_view(error=InternalError())(request)
    return handler.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form without its token."""
    return OldFormPage.as_view()(request)
