"""The page behind the link: it confirms by a button, since mail scanners open every link.

It shows the merchant's id: anyone may give an address, and its owner must see whose test e-mails
they would get. A name would be the registrant's words, shown as ours. Another id may be entered
instead, as the day's only link may be a stranger's. The link in each test e-mail leads here as
well, for those who have confirmed an address for a stranger.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View

from core.clock import request_now
from merchants.email_confirmation import (
    AddressClaim,
    confirm_email,
    read_claim,
    read_withdrawal,
    withdraw_email,
)

BAD_REQUEST = 400


class ConfirmEmailPage(View):
    http_method_names = ("get", "head", "post")

    def get(self, request: HttpRequest) -> HttpResponse:
        claim = _claim(request)
        if claim is None:
            return _page(request, "invalid", status=BAD_REQUEST)
        state = "stopping" if _stops(request) else "offered"
        return _page(request, state, email=claim.email, merchant_id=claim.merchant_id)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Confirm the address. A link may be used again, with the same result."""
        claim = _claim(request)
        if claim is None:
            return _page(request, "invalid", status=BAD_REQUEST)
        if _stops(request):
            withdraw_email(claim=claim, now=request_now())
            return _page(request, "stopped", email=claim.email)
        given = request.POST.get("merchant_id", claim.merchant_id).strip()
        email = confirm_email(claim=claim, merchant_id=given, now=request_now())
        if email is not None:
            return _page(request, "confirmed", email=email)
        shown = {"email": claim.email, "merchant_id": given, "is_wrong": True}
        return _page(request, "offered", status=BAD_REQUEST, **shown)


def _claim(request: HttpRequest) -> AddressClaim | None:
    if _stops(request):
        return read_withdrawal(request.GET["stop"])
    return read_claim(request.GET.get("token", ""))


def _stops(request: HttpRequest) -> bool:
    return "stop" in request.GET


def _page(
    request: HttpRequest, state: str, *, status: int | None = None, **context: object
) -> HttpResponse:
    context["state"] = state
    response = render(request, "merchants/confirm_email.html", context, status=status)
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    return response
