"""The pages of the second factor: enter a code or sign with a passkey, set one up, replace it."""

import hashlib
import secrets
from base64 import b64decode, b64encode
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from backoffice.authenticators import StaffPasskey
from backoffice.errors import AccountNotEligible
from backoffice.pages import proving
from backoffice.pages.sign_in import SecondFactorForm
from backoffice.services.staff_passkeys import (
    add_passkey,
    begin_new_passkey,
    begin_passkey_sign_in,
    check_passkey,
    has_passkey,
    needs_passkey,
    remove_passkey,
)
from backoffice.services.two_factor import (
    begin_enrolment,
    check_code,
    finish_enrolment,
    has_authenticator,
    new_recovery_codes,
    recovery_codes_left,
    renew_recovery_codes,
)
from backoffice.staff import staff_of
from checkout.views.passkeys import device_name
from core.attempt_limits import AttemptLimit, count_attempt
from core.clock import request_now
from core.errors import RateLimited
from core.qr import svg
from customers.errors import VerificationFailed

CHALLENGE_KEY = "staff_challenge"
CHALLENGE_BYTES = 32
CHALLENGE_LIFETIME = timedelta(minutes=5)
# Requests at the same instant all find the challenge in their session: one of them takes it.
TAKEN = AttemptLimit("staff-challenge", 1, CHALLENGE_LIFETIME)
REGISTER, SIGN = "register", "sign"
NOT_CHECKED = "The passkey could not be checked. Try again."
WRONG_CODE = "That code is incorrect. Wait for the next one and try again."


class SecondFactorPages:
    """The pages that follow the password; other visitors are sent to the sign-in."""

    def __init__(self, site: AdminSite) -> None:
        self.site = site

    def enter_code(self, request: HttpRequest) -> HttpResponse:
        """Ask for a code: after the password, and again before the second factor is changed."""
        user = proving.password_given(request)
        if user is None or (
            proving.is_fully_signed_in(request) and proving.verified_recently(request)
        ):
            return redirect("admin:index")
        prefers_code = "code" in request.GET or request.method == "POST"
        if not proving.accepts_codes(request, user) or (has_passkey(user) and not prefers_code):
            return proving.redirect_onward(request, proving.next_step(request, user))
        form = SecondFactorForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            device = check_code(user, form.cleaned_data["code"], request_now())
            if device is not None:
                return proving.finish_sign_in(request, device)
            if proving.refuse_proof(request, "wrong code"):
                return redirect("admin:login")
            form.add_error("code", WRONG_CODE)
        return self._page(request, "two_factor", "One more step", form=form)

    def set_up_code(self, request: HttpRequest) -> HttpResponse:
        """Show the QR code, and enable the authenticator with its first code."""
        user = proving.password_given(request)
        if user is None:
            return redirect("admin:login")
        has_factor = proving.has_factor(user)
        if not proving.is_fully_signed_in(request) and (
            has_factor or needs_passkey(staff_of(request).roles)
        ):
            return proving.redirect_onward(request, proving.next_step(request, user))
        if has_factor and not proving.verified_recently(request):
            return proving.ask_again(request)
        form = SecondFactorForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            code, staff = form.cleaned_data["code"], staff_of(request)
            device = finish_enrolment(user, code, request_now(), staff=staff)
            if device is not None:
                proving.mark_verified(request, device)
                return self._recovery_codes(request, new_recovery_codes(user))
            form.add_error("code", WRONG_CODE)
        enrolment = begin_enrolment(user, anew=request.method != "POST")
        picture = b64encode(svg(enrolment.address)).decode()
        shown: Any = {"form": form, "secret": enrolment.secret, "picture": picture}
        return self._page(request, "two_factor_set_up", "Set up two-factor sign-in", **shown)

    def leave(self, request: HttpRequest) -> HttpResponse:
        """Forget the entered password, and start over."""
        if request.method == "POST":
            logout(request)
        return redirect("admin:login")

    def account(self, request: HttpRequest) -> HttpResponse:
        """Show which second factors there are, and offer to replace them."""
        user = proving.password_given(request)
        if user is None:
            return redirect("admin:login")
        if not proving.verified_recently(request):
            return proving.ask_again(request)
        takes = proving.accepts_codes(request, user)
        if request.method == "POST" and takes:
            codes = renew_recovery_codes(user, staff=staff_of(request))
            return self._recovery_codes(request, codes)
        return self._page(
            request,
            "two_factor_account",
            "Two-factor sign-in",
            codes_left=recovery_codes_left(user),
            has_authenticator=has_authenticator(user),
            takes_codes=takes,
            passkeys=StaffPasskey.objects.filter(user=user).order_by("pk"),
        )

    def enter_passkey(self, request: HttpRequest) -> HttpResponse:
        """Ask for a passkey: after the password, and again before the second factor is changed."""
        user = proving.password_given(request)
        if user is None or (
            proving.is_fully_signed_in(request) and proving.verified_recently(request)
        ):
            return redirect("admin:index")
        if not has_passkey(user):
            return proving.redirect_onward(request, proving.next_step(request, user))
        problem = ""
        if request.method == "POST":
            challenge = _take_challenge(request, SIGN)
            credential = request.POST.get("credential", "")
            try:
                passkey = check_passkey(
                    user, credential=credential, challenge=challenge, now=request_now()
                )
                return proving.finish_sign_in(request, passkey)
            except VerificationFailed:
                if proving.refuse_proof(request, "wrong passkey"):
                    return redirect("admin:login")
                problem = NOT_CHECKED
        takes_codes = proving.accepts_codes(request, user)
        return self._page(request, "passkey", "One more step", problem, takes_codes=takes_codes)

    def passkey_options(self, request: HttpRequest) -> HttpResponse:
        """Respond with what the browser has to sign, once."""
        user = proving.password_given(request)
        if user is None or request.method != "POST" or not has_passkey(user):
            return redirect("admin:login")
        challenge = _new_challenge(request, SIGN)
        return JsonResponse(begin_passkey_sign_in(user, challenge=challenge))

    def set_up_passkey(self, request: HttpRequest) -> HttpResponse:
        """Offer to create a passkey, and store it."""
        user = proving.password_given(request)
        if user is None:
            return redirect("admin:login")
        if (elsewhere := _missing_proof(request, user)) is not None:
            return elsewhere
        problem = ""
        if request.method == "POST":
            try:
                return self._added(request, user)
            except VerificationFailed:
                problem = NOT_CHECKED
        required = needs_passkey(staff_of(request).roles)
        is_first = not proving.has_factor(user)
        context = {"required": required, "is_first": is_first}
        return self._page(request, "passkey_set_up", "Add a passkey", problem, **context)

    def new_passkey_options(self, request: HttpRequest) -> HttpResponse:
        """Respond with what the browser needs to create a passkey, once; or where to remove one."""
        user = proving.password_given(request)
        if user is None or request.method != "POST" or _missing_proof(request, user) is not None:
            return redirect("admin:login")
        challenge = _new_challenge(request, REGISTER)
        try:
            return JsonResponse(begin_new_passkey(user, challenge=challenge))
        except AccountNotEligible as error:
            messages.error(request, error.details)
            return JsonResponse({"go": reverse("admin:two_factor_account")})

    def remove_passkey(self, request: HttpRequest, passkey_id: int) -> HttpResponse:
        user = proving.password_given(request)
        if user is None or not proving.verified_recently(request):
            return proving.ask_again(request)
        if request.method == "POST":
            try:
                name = remove_passkey(user, staff=staff_of(request), passkey_id=passkey_id)
                messages.success(request, f"The passkey “{name}” no longer signs you in.")
            except AccountNotEligible as error:
                messages.error(request, error.details)
        return redirect("admin:two_factor_account")

    def _added(self, request: HttpRequest, user: User) -> HttpResponse:
        """Store the new passkey. Those who may use codes get recovery codes, in case it is lost."""
        passkey = add_passkey(
            user,
            staff=staff_of(request),
            credential=request.POST.get("credential", ""),
            challenge=_take_challenge(request, REGISTER),
            name=device_name(request),
            now=request_now(),
        )
        proving.mark_verified(request, passkey)
        if not needs_passkey(staff_of(request).roles) and not recovery_codes_left(user):
            return self._recovery_codes(request, new_recovery_codes(user))
        messages.success(request, "The passkey is ready. Add one on another device as well.")
        return proving.redirect_onward(request, "admin:two_factor_account", follow=True)

    def _recovery_codes(self, request: HttpRequest, codes: list[str]) -> HttpResponse:
        """Show new recovery codes, this once."""
        return self._page(request, "recovery_codes", "Your recovery codes", codes=codes)

    def _page(
        self, request: HttpRequest, name: str, title: str, problem: str = "", **context: Any
    ) -> HttpResponse:
        told = {"title": title, "problem": problem, **context}
        whole, status = {**self.site.each_context(request), **told}, 422 if problem else 200
        return TemplateResponse(request, f"admin/backoffice/{name}.html", whole, status=status)


def _missing_proof(request: HttpRequest, user: User) -> HttpResponseRedirect | None:
    """Return the page of the proof required before a passkey is added; None if none is missing.

    The first factor requires only the password, which its owner has just chosen. After that, a
    factor must have been proved minutes ago: a passkey, if there is one that counts.
    """
    if not proving.has_factor(user):
        return None
    by_code = user.is_verified() and not has_passkey(user)  # type: ignore[attr-defined]  # django-otp adds it
    if not (proving.is_fully_signed_in(request) or by_code):
        return proving.redirect_onward(request, proving.next_step(request, user))
    return None if proving.verified_recently(request) else proving.ask_again(request)


def _new_challenge(request: HttpRequest, purpose: str) -> bytes:
    """Create a challenge, and store it in the session with its purpose and time."""
    challenge = secrets.token_bytes(CHALLENGE_BYTES)
    at = request_now().isoformat()
    request.session[CHALLENGE_KEY] = [purpose, at, b64encode(challenge).decode()]
    return challenge


def _take_challenge(request: HttpRequest, purpose: str) -> bytes:
    """Take the challenge of this purpose out of the session, once.

    Empty if it is missing or too old, or if another request has taken it.
    """
    kept, at, text = request.session.pop(CHALLENGE_KEY, ("", "", ""))
    if kept != purpose or request_now() - datetime.fromisoformat(at) >= CHALLENGE_LIFETIME:
        return b""
    challenge = b64decode(text)
    try:
        count_attempt(TAKEN, hashlib.sha256(challenge).hexdigest(), now=request_now())
    except RateLimited:
        return b""
    return challenge
