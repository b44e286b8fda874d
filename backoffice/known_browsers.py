"""Browsers in which a member of staff has proved both factors, or opened an invitation.

Their wrong passwords count separately, and their sign-in waits for no stranger's.

A sign-in is locked for the combination of name, network and browser. A stranger who guesses locks
out only themselves; the account's owner can still sign in from their own browser, even on the same
network.
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
    """Return the caller's network: an IPv4 address, or the /64 of an IPv6 address.

    django-axes calls this.
    """
    return network_of(client_address(request)).partition("/")[0]


def identify_browser(request: HttpRequest, username: str) -> bool:
    """Tell django-axes which browser this is; return whether it is known to the account.

    django-axes would otherwise take a header that anyone may set.
    """
    AxesProxyHandler.update_request(request)
    known = _known_browser(request, username)
    request.axes_user_agent = known or UNKNOWN_BROWSER  # type: ignore[attr-defined]  # django-axes reads it
    return known != ""


def remember_browser(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Recognize the browser at the next sign-in of this account."""
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
    """Return the id of the browser if it is known to the account; otherwise empty."""
    known = str(request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=LIFETIME_SECONDS))
    return known if known.startswith(f"{username}:") else ""
