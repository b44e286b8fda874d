"""Forms that arrive without a valid token: a page was open too long, or another site sent them."""

from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from backoffice.middleware import PREFIX
from backoffice.pages.typed import typed_here
from backoffice.site import office
from checkout import error_pages

TOO_OLD = "This page was open too long, and nothing was done."
OPEN_AGAIN = (
    "You have signed in or out since, perhaps in another window. Open that page again, and enter"
    " it there."
)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form without a valid token, of staff or of customers, with a page of theirs."""
    if request.path.startswith(f"{PREFIX}/"):
        typed = typed_here(request)
        return office.refusal(request, HTTPStatus.FORBIDDEN, TOO_OLD, OPEN_AGAIN, typed=typed)
    return error_pages.csrf_failure(request, reason)
