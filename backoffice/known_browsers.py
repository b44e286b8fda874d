"""Browsers in which a member of staff has proved both factors, or opened an invitation.

Their wrong passwords count separately, and their sign-in waits for no stranger's: not for a slot,
not in line for a thread, and not for what their network may cost (`config.visitors`).

A sign-in is locked for the combination of name, network and browser. A stranger who guesses locks
out only themselves; the account's owner can still sign in from their own browser, even on the same
network. A browser is known no more once the account is closed or its access reset: it may be a
former colleague's, or a thief's.
"""

import re
from datetime import timedelta

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth.models import User
from django.db.models import Max
from django.http import HttpRequest, HttpResponse

from backoffice.models import Instruction
from backoffice.services.instruction_kinds import REOPEN_ACCOUNT, RESET_ACCESS
from backoffice.staff import roles_of
from backoffice.statuses import InstructionStatus
from core.client_address import client_address, network_of
from core.clock import utc_now
from core.ids import random_base62

COOKIE = "staff_browser"
SIGNED_IN_AT = "/admin/"  # the path of the cookie
_MARK = re.compile(rf"(?:^|[;,])\s*{COOKIE}=([^;,]*)")
LIFETIME = timedelta(days=180)
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
        max_age=LIFETIME,
        path=SIGNED_IN_AT,
        secure=request.is_secure(),
        httponly=True,
        samesite="Strict",
    )


def marked_browser(cookies: str) -> str:
    """Return the id of a browser that this `Cookie` header shows to be marked, else an empty text.

    The account may have been closed since: this asks no database, and grants a place only.
    """
    marks = _MARK.findall(cookies)
    if not marks:
        return ""
    request = HttpRequest()  # Django checks the signatures of cookies of a request only
    # The last cookie of a name counts, as in Django; quotes stand around a name with an @.
    request.COOKIES[COOKIE] = marks[-1].strip().strip('"')
    return _signed_id(request)


def _known_browser(request: HttpRequest, username: str) -> str:
    """Return the browser's id if it is known to the account; otherwise empty."""
    known = _signed_id(request)
    if not known.startswith(f"{username}:"):
        return ""
    user = User.objects.filter(username=username).first()
    if user is None or not roles_of(user):
        return ""
    return _signed_id(request, _time_since_access_ended(username))


def _signed_id(request: HttpRequest, max_age: timedelta = LIFETIME) -> str:
    return str(request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=max_age))


def _time_since_access_ended(username: str) -> timedelta:
    """Return how long ago an account's access was last reset, or the account reopened."""
    ended = Instruction.objects.filter(
        subject_id=username,
        task__in=(RESET_ACCESS, REOPEN_ACCOUNT),
        status=InstructionStatus.CARRIED_OUT,
    ).aggregate(last=Max("decided_at"))["last"]
    return LIFETIME if ended is None else min(LIFETIME, utc_now() - ended)
