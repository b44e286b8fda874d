"""Pages of the second factor: enter a code, set up an authenticator, see new recovery codes."""

import base64
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import django_otp
from django.contrib.admin import AdminSite
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.http import url_has_allowed_host_and_scheme
from django_otp.models import Device

from backoffice.audit import AuditAction, AuditRecord, append_entry
from backoffice.models import AuditOutcome
from backoffice.pages.forms import SIGN_IN, SecondFactorForm
from backoffice.roles import Right
from backoffice.services.two_factor import (
    begin_enrolment,
    check_code,
    finish_enrolment,
    has_authenticator,
    new_recovery_codes,
    recovery_codes_left,
)
from backoffice.staff import staff_of
from core.clock import request_now
from core.qr import svg

VERIFIED_KEY = "staff_proved"
# How long a code counts for changing what gives codes: a borrowed session is not enough.
VERIFIED_FOR = timedelta(minutes=10)
WRONG_CODES = 5
WRONG_KEY = "staff_wrong_codes"
WRONG_CODE = "That code is incorrect. Wait for the next one and try again."


class TwoFactorPages:
    """The pages, after the password; other visitors are sent to sign in."""

    def __init__(self, site: AdminSite) -> None:
        self.site = site

    def enter(self, request: HttpRequest) -> HttpResponse:
        """Ask for a code, after the password; again, before the second factor is changed."""
        user = _signed_in(request)
        if user is None or (self.site.has_permission(request) and verified_recently(request)):
            return redirect("admin:index")
        if not has_authenticator(user):
            return _redirect_onward(request, "admin:two_factor_set_up")
        form = SecondFactorForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            device = check_code(user, form.cleaned_data["code"], request_now())
            if device is not None:
                return _finish_sign_in(request, device)
            if _count_wrong(request) >= WRONG_CODES:
                logout(request)
                return redirect("admin:login")
            form.add_error("code", WRONG_CODE)
        return self._page(request, "two_factor", {"form": form, "title": "One more step"})

    def set_up(self, request: HttpRequest) -> HttpResponse:
        """Show the QR code, and take the authenticator into use with its first code."""
        user = _signed_in(request)
        if user is None:
            return redirect("admin:login")
        if has_authenticator(user) and not self.site.has_permission(request):
            return _redirect_onward(request, "admin:two_factor")
        if has_authenticator(user) and not verified_recently(request):
            return ask_for_code_again(request)
        form = SecondFactorForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            device = finish_enrolment(user, form.cleaned_data["code"], request_now())
            if device is not None:
                _mark_verified(request, device)
                _write(request, "set up two-factor", AuditOutcome.DONE)
                return self._codes(request, user)
            form.add_error("code", WRONG_CODE)
        enrolment = begin_enrolment(user)
        picture = base64.b64encode(svg(enrolment.address)).decode()
        context = {"form": form, "secret": enrolment.secret, "picture": picture}
        return self._page(
            request, "two_factor_set_up", context | {"title": "Set up two-factor sign-in"}
        )

    def leave(self, request: HttpRequest) -> HttpResponse:
        """Forget the password that was entered, and begin again."""
        if request.method == "POST":
            logout(request)
        return redirect("admin:login")

    def account(self, request: HttpRequest) -> HttpResponse:
        """Say what the second factor is, and offer to replace it or its recovery codes."""
        user = _signed_in(request)
        if user is None:
            return redirect("admin:login")
        if not verified_recently(request):
            return ask_for_code_again(request)
        if request.method == "POST":
            _write(request, "new recovery codes", AuditOutcome.DONE)
            return self._codes(request, user)
        context = {"codes_left": recovery_codes_left(user), "title": "Two-factor sign-in"}
        return self._page(request, "two_factor_account", context)

    def _codes(self, request: HttpRequest, user: User) -> HttpResponse:
        context = {"codes": new_recovery_codes(user), "title": "Your recovery codes"}
        return self._page(request, "recovery_codes", context)

    def _page(self, request: HttpRequest, name: str, context: dict[str, Any]) -> HttpResponse:
        whole = {**self.site.each_context(request), **context}
        return TemplateResponse(request, f"admin/backoffice/{name}.html", whole)


def _signed_in(request: HttpRequest) -> User | None:
    user = request.user
    return user if isinstance(user, User) and staff_of(request).roles else None


def _finish_sign_in(request: HttpRequest, device: Device) -> HttpResponseRedirect:
    _mark_verified(request, device)
    _write(request, SIGN_IN, AuditOutcome.DONE)
    return _redirect_onward(request, "admin:index", follow=True)


def _mark_verified(request: HttpRequest, device: Device) -> None:
    django_otp.login(request, device)
    request.session.pop(WRONG_KEY, None)
    request.session[VERIFIED_KEY] = request_now().isoformat()
    request.session.cycle_key()


def verified_recently(request: HttpRequest) -> bool:
    """Return whether a code was entered minutes ago: a stolen session alone has none."""
    proved: str = request.session.get(VERIFIED_KEY, "")
    return proved != "" and request_now() - datetime.fromisoformat(proved) < VERIFIED_FOR


def ask_for_code_again(request: HttpRequest) -> HttpResponseRedirect:
    """Ask for a code, and come back."""
    response = redirect("admin:two_factor")
    response["Location"] += f"?{urlencode({'next': request.path})}"
    return response


def _count_wrong(request: HttpRequest) -> int:
    wrong: int = request.session.get(WRONG_KEY, 0) + 1
    request.session[WRONG_KEY] = wrong
    _write(request, SIGN_IN, AuditOutcome.REFUSED, error="wrong code")
    return wrong


def _write(request: HttpRequest, act: str, outcome: AuditOutcome, *, error: str = "") -> None:
    staff = staff_of(request)
    action = AuditAction(act=act, right=Right.NOTE, subject_type="staff", subject_id=staff.username)
    append_entry(
        staff=staff,
        action=action,
        record=AuditRecord(outcome=outcome),
        now=request_now(),
        error=error,
    )


def _redirect_onward(
    request: HttpRequest, name: str, *, follow: bool = False
) -> HttpResponseRedirect:
    """Go to a page, keeping where the visitor wanted to go; `follow`: go there now."""
    wanted = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(wanted, allowed_hosts={request.get_host()}):
        return redirect(name)
    if follow:
        return HttpResponseRedirect(wanted)
    response = redirect(name)
    response["Location"] += f"?{urlencode({'next': wanted})}"
    return response
