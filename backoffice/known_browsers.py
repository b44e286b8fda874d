"""Browsers in which a member of staff has proved both factors: wrong passwords are counted apart.

A sign-in is locked by name, network and browser together. A stranger who guesses locks out
themselves; the owner of the account goes on, at their own browser even from the same network.
"""

from axes.handlers.proxy import AxesProxyHandler
from django.http import HttpRequest, HttpResponse

from core.client_address import client_address, network_of
from core.ids import random_base62

COOKIE = "staff_browser"
LIFETIME_SECONDS = 180 * 24 * 3600
ID_CHARACTERS = 22
UNKNOWN_BROWSER = "unknown"


def network_address(request: HttpRequest) -> str:
    """Return the caller's address; of IPv6, the first of its /64. django-axes calls this."""
    return network_of(client_address(request)).partition("/")[0]


def identify_browser(request: HttpRequest, username: str) -> None:
    """Tell django-axes which browser this is, in place of the header that anyone may change."""
    AxesProxyHandler.update_request(request)
    browser = _known_browser(request, username) or UNKNOWN_BROWSER
    request.axes_user_agent = browser  # type: ignore[attr-defined]  # django-axes reads it


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Let the browser be known at the next sign-in of this account."""
    browser = _known_browser(request, username) or f"{username}:{random_base62(ID_CHARACTERS)}"
    response.set_signed_cookie(
        COOKIE,
        browser,
        salt=COOKIE,
        max_age=LIFETIME_SECONDS,
        path="/admin/",
        secure=request.is_secure(),
        httponly=True,
        samesite="Strict",
    )


def _known_browser(request: HttpRequest, username: str) -> str:
    """Return the browser's id, if the account has signed in with it; else nothing."""
    known = str(request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=LIFETIME_SECONDS))
    return known if known.startswith(f"{username}:") else ""
