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
MOST_REMEMBERED = 8  # payments that one browser has open in tabs of their own
_BETWEEN = "~"
UNPROCESSABLE = 422


def agreed_before(request: HttpRequest, view: PaymentView) -> str:
    """Return the digest that was agreed to, if one of the last presses was for this payment.

    Otherwise the digest of the current description, as for a visitor who opens the page afresh.
    """
    return _remembered(request).get(view.id) or view.agreed


def remember_agreed(
    request: HttpRequest, response: HttpResponse, payment_id: str, digest: str
) -> None:
    """Store the digest that was agreed to, beside those of other tabs, until the browser closes."""
    if len(digest) == DIGEST_CHARACTERS:
        others = _remembered(request)
        others.pop(payment_id, None)
        kept = [*others.items()][1 - MOST_REMEMBERED :]
        value = _BETWEEN.join(".".join(each) for each in (*kept, (payment_id, digest)))
        set_cookie(response, cookie_name(AGREED_COOKIE), value)


def _remembered(request: HttpRequest) -> dict[str, str]:
    """Return the digests by payment, the last press last."""
    value = request.COOKIES.get(cookie_name(AGREED_COOKIE), "")
    presses = (press.partition(".") for press in value.split(_BETWEEN)[-MOST_REMEMBERED:])
    return {payment_id: digest for payment_id, _dot, digest in presses if digest}


def change_notice(view: PaymentView) -> RefusedForm:
    """Return the notice for the payment's page that the agreed description has changed."""
    problem = _("The shop has changed what this payment is for. Look at it before you pay.")
    return RefusedForm(view.path, UNPROCESSABLE, problem=problem)
