"""The pages for codes: enter one, set up an authenticator app, see new recovery codes."""

import base64

from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from backoffice.authenticators import StaffPasskey
from backoffice.pages import proving
from backoffice.pages.forms import SecondFactorForm
from backoffice.services.staff_passkeys import has_passkey, needs_passkey
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
from core.clock import request_now
from core.qr import svg

WRONG_CODE = "That code is incorrect. Wait for the next one and try again."


class TwoFactorPages(proving.SignInPages):
    def enter(self, request: HttpRequest) -> HttpResponse:
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
        return self.page(request, "two_factor", {"form": form, "title": "One more step"})

    def set_up(self, request: HttpRequest) -> HttpResponse:
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
                return self.recovery_codes(request, new_recovery_codes(user))
            form.add_error("code", WRONG_CODE)
        enrolment = begin_enrolment(user, anew=request.method != "POST")
        picture = base64.b64encode(svg(enrolment.address)).decode()
        context = {"form": form, "secret": enrolment.secret, "picture": picture}
        context["title"] = "Set up two-factor sign-in"
        return self.page(request, "two_factor_set_up", context)

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
            return self.recovery_codes(request, codes)
        context = {
            "codes_left": recovery_codes_left(user),
            "has_authenticator": has_authenticator(user),
            "takes_codes": takes,
            "passkeys": StaffPasskey.objects.filter(user=user).order_by("pk"),
            "title": "Two-factor sign-in",
        }
        return self.page(request, "two_factor_account", context)
