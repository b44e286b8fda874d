"""Remember which description the customer last agreed to in this browser.

Forms submit a digest of the description they were rendered with. The page after a redirect is
rendered afresh, and the shop may have changed the description in between: this cookie lets that
page notice. It grants no access, so it is not signed.
"""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from checkout.browser_session import cookie_name, set_cookie
from checkout.payment_view import PaymentView
from checkout.refused_forms import RefusedForm

AGREED_COOKIE = "agreed"
DIGEST_CHARACTERS = 64
UNPROCESSABLE = 422


def agreed_before(request: HttpRequest, view: PaymentView) -> str:
    """Return the digest that was agreed to, if the last press was for this payment.

    Otherwise the digest of the current description, as for a visitor who opens the page afresh.
    """
    pressed, _dot, digest = request.COOKIES.get(cookie_name(AGREED_COOKIE), "").partition(".")
    return digest if digest and pressed == view.id else view.agreed


def remember_agreed(response: HttpResponse, payment_id: str, digest: str) -> None:
    """Store the digest that was agreed to, until the next press or the browser closes."""
    if len(digest) == DIGEST_CHARACTERS:
        set_cookie(response, cookie_name(AGREED_COOKIE), f"{payment_id}.{digest}")


def change_notice(view: PaymentView) -> RefusedForm:
    """Return the notice for the payment's page that the agreed description has changed."""
    problem = _("The shop has changed what this payment is for. Look at it before you pay.")
    return RefusedForm(view.path, UNPROCESSABLE, problem=problem)
