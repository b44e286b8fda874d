"""What this browser's last press has agreed to, kept for the pages that it leads to.

Forms say which description they were drawn with. A page that a redirect leads to is drawn anew, and
a shop needs a moment only to change the words in between: by this cookie that page tells of it. It
opens nothing, so it is not signed.
"""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from checkout.browser_session import named, set_cookie
from checkout.payment_view import PaymentView
from checkout.refused_forms import RefusedForm

AGREED_COOKIE = "agreed"
DIGEST_CHARACTERS = 64
UNPROCESSABLE = 422


def agreed_before(request: HttpRequest, view: PaymentView) -> str:
    """Return the digest of what was agreed to, if the last press was for this payment.

    Otherwise that of the words which the page shows, as to a reader who comes anew.
    """
    pressed, _dot, digest = request.COOKIES.get(named(AGREED_COOKIE), "").partition(".")
    return digest if digest and pressed == view.id else view.agreed


def keep_agreed(response: HttpResponse, payment_id: str, digest: str) -> None:
    """Keep the digest of what was agreed to, until the next press or the end of the browser."""
    if len(digest) == DIGEST_CHARACTERS:
        set_cookie(response, named(AGREED_COOKIE), f"{payment_id}.{digest}")


def told_of_change(view: PaymentView) -> RefusedForm:
    """Return what the payment's page says of words that are no longer what was agreed to."""
    problem = _("The shop has changed what this payment is for. Look at it before you pay.")
    return RefusedForm(view.path, UNPROCESSABLE, problem=problem)
