"""Error pages for customers, for requests that reach no view of ours; API callers get JSON."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.csrf import REASON_NO_CSRF_COOKIE
from django.urls import reverse
from django.utils.translation import gettext as _

from checkout.endings import RECEIPTS, no_cookie, page_too_old
from checkout.known_payments import known_payment
from checkout.pages import CheckoutPage, Detour
from core import handler
from core.errors import ApiError, NotFound

PAGES = (
    "/checkout/", "/pay/", "/counter/", "/receipts/", "/top-ups/", "/account", "/not-me/",
    "/confirm-address/",
)  # fmt: skip
OWN = "/account"
TOWARDS_A_PAYMENT = ("/checkout/", OWN)
FORBIDDEN = 403


class StoppedPage(CheckoutPage):
    """Shows an error, whatever was requested."""

    error: ApiError = NotFound()

    def prepare(self) -> None:
        raise self.error


class OldFormPage(CheckoutPage):
    """A form without a valid token.

    The page was open too long, another site submitted it, or, for this `reason`, the browser sent
    no cookie: where it keeps none, to open the page again leads here again.
    """

    reason = ""

    def prepare(self) -> None:
        ending = no_cookie if self.reason == REASON_NO_CSRF_COOKIE else page_too_old
        end = ending(*self.again(), is_paid=self.request.path.startswith(RECEIPTS))
        raise Detour(self.page("stopped.html", end=end, status=FORBIDDEN))

    def again(self) -> tuple[str, str]:
        """Return the target and label of the button: the payment, or else the same page again."""
        path, payment = self.request.path, ""
        if path.startswith(TOWARDS_A_PAYMENT):
            payment = known_payment(self.request)
        if payment:
            return payment, _("Continue with the payment")
        if not path.startswith(OWN):
            return self.request.get_full_path(), _("Try again")
        mode = {name: value for name, value in self.request.GET.items() if name == "test"}
        return reverse("account", query=mode), _("Try again")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer a request for an unknown URL."""
    if request.path.startswith(PAGES):
        return StoppedPage.as_view(error=NotFound())(request)
    return handler.not_found(request, exception)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form without a valid token."""
    return OldFormPage.as_view(reason=reason)(request)
