"""Forms without a valid token: a page was open too long, another site sent them, or no cookie."""

from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.csrf import REASON_NO_CSRF_COOKIE

from backoffice.middleware import PREFIX
from backoffice.site import office, typed_here
from checkout import error_pages

TOO_OLD = "This page was open too long, and nothing was done."
OPEN_AGAIN = (
    "You have signed in or out since, perhaps in another window. Open that page again, and enter"
    " it there."
)
NO_COOKIE = "Your browser sent no cookie, and nothing was done."
ALLOW_COOKIES = "Allow this site to keep cookies, and open that page again."


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """Answer a form without a valid token, of staff or of customers, with a page of theirs."""
    if request.path.startswith(f"{PREFIX}/"):
        typed = typed_here(request)
        is_without_cookie = reason == REASON_NO_CSRF_COOKIE
        why = (NO_COOKIE, ALLOW_COOKIES) if is_without_cookie else (TOO_OLD, OPEN_AGAIN)
        return office.refusal(request, HTTPStatus.FORBIDDEN, *why, typed=typed)
    return error_pages.csrf_failure(request, reason)
