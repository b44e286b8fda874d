"""What the pages of the second factor share: which page is next, and what a proof allows."""

from datetime import datetime, timedelta

import django_otp
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django_otp.models import Device

from backoffice.audit import append_own
from backoffice.authenticators import StaffPasskey
from backoffice.known_browsers import remember_browser
from backoffice.models import AuditOutcome
from backoffice.pages.sign_in import SIGN_IN
from backoffice.services.staff_passkeys import has_passkey, needs_passkey
from backoffice.services.two_factor import has_authenticator
from backoffice.staff import staff_of
from core.clock import request_now

VERIFIED_KEY = "staff_proved"
# How long a proof counts for changing what proves: a borrowed session is not enough.
VERIFIED_FOR = timedelta(minutes=10)
WRONG_PROOFS = 5
WRONG_KEY = "staff_wrong_codes"


def is_fully_signed_in(request: HttpRequest) -> bool:
    """Return whether the visitor has a role, a password, and the second factor that it requires."""
    roles, user = staff_of(request).roles, request.user
    if not roles or not user.is_verified():  # type: ignore[union-attr]  # django-otp adds it
        return False
    return not needs_passkey(roles) or isinstance(user.otp_device, StaffPasskey)  # type: ignore[union-attr]  # likewise


def password_given(request: HttpRequest) -> User | None:
    """Return the member of staff whose password was entered."""
    user = request.user
    return user if isinstance(user, User) and staff_of(request).roles else None


def accepts_codes(request: HttpRequest, user: User) -> bool:
    """Return whether codes count for the account; if a passkey is required, until it has one.

    Those who must have a passkey and have none yet prove themselves with the authenticator they
    had.
    """
    if needs_passkey(staff_of(request).roles):
        return has_authenticator(user) and not has_passkey(user)
    return has_factor(user)


def has_factor(user: User) -> bool:
    return has_authenticator(user) or has_passkey(user)


def next_step(request: HttpRequest, user: User) -> str:
    """Return the page of what is still missing after the password."""
    if has_passkey(user):
        return "admin:two_factor_passkey"
    authenticates = has_authenticator(user)
    if needs_passkey(staff_of(request).roles):
        proven = user.is_verified()  # type: ignore[attr-defined]  # django-otp adds it
        missing = proven or not authenticates
        return "admin:two_factor_passkey_set_up" if missing else "admin:two_factor"
    return "admin:two_factor" if authenticates else "admin:two_factor_set_up"


def mark_verified(request: HttpRequest, device: Device) -> None:
    """Record the proof in the session, under a new session key."""
    django_otp.login(request, device)
    request.session.pop(WRONG_KEY, None)
    request.session[VERIFIED_KEY] = request_now().isoformat()
    request.session.cycle_key()


def finish_sign_in(request: HttpRequest, device: Device) -> HttpResponseRedirect:
    """Sign the visitor in, and redirect to where they wanted to go."""
    mark_verified(request, device)
    append_own(staff=staff_of(request), act=SIGN_IN)
    response = redirect_onward(request, "admin:index", follow=True)
    remember_browser(request, response, staff_of(request).username)
    return response


def verified_recently(request: HttpRequest) -> bool:
    """Return whether a factor was proved minutes ago: a stolen session proves none."""
    proved: str = request.session.get(VERIFIED_KEY, "")
    return proved != "" and request_now() - datetime.fromisoformat(proved) < VERIFIED_FOR


def ask_again(request: HttpRequest) -> HttpResponseRedirect:
    """Ask for the second factor once more, and return to this page."""
    return HttpResponseRedirect(reverse("admin:two_factor", query={"next": request.path}))


def refuse_proof(request: HttpRequest, error: str) -> bool:
    """Count a wrong proof. Return whether it was the last allowed, which ends the session."""
    wrong: int = request.session.get(WRONG_KEY, 0) + 1
    request.session[WRONG_KEY] = wrong
    staff, refused = staff_of(request), AuditOutcome.REFUSED
    append_own(staff=staff, act=SIGN_IN, outcome=refused, error=error)
    if wrong >= WRONG_PROOFS:
        logout(request)
    return wrong >= WRONG_PROOFS


def redirect_onward(
    request: HttpRequest, name: str, *, follow: bool = False
) -> HttpResponseRedirect:
    """Redirect to a page, keeping where the visitor wanted to go; with `follow`, go there now."""
    wanted = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return redirect(name)
    if follow:
        return HttpResponseRedirect(wanted)
    return HttpResponseRedirect(reverse(name, query={"next": wanted}))
