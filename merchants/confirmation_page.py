"""The page behind the link: it confirms by a button, since mail scanners open every link.

It names the merchant by its id: anyone may give an address, and whose e-mails of tests are to come
is for its owner to see. The name is the registrant's words, and would be ours here.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import View

from core.clock import request_now
from merchants.email_confirmation import AddressClaim, confirm_email, read_claim

BAD_REQUEST = 400


class ConfirmEmailPage(View):
    http_method_names = ("get", "head", "post")

    def get(self, request: HttpRequest) -> HttpResponse:
        claim = _claim(request)
        return _page(request, "offered" if claim else "invalid", claim)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Confirm the address. A link may be used again: it says the same."""
        claim = _claim(request)
        is_confirmed = claim is not None and confirm_email(claim=claim, now=request_now())
        return _page(request, "confirmed" if is_confirmed else "invalid", claim)


def _claim(request: HttpRequest) -> AddressClaim | None:
    return read_claim(request.GET.get("token", ""))


def _page(request: HttpRequest, state: str, claim: AddressClaim | None) -> HttpResponse:
    context = {"state": state, **(claim._asdict() if claim else {})}
    status = BAD_REQUEST if state == "invalid" else None
    response = render(request, "merchants/confirm_email.html", context, status=status)
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "same-origin"
    return response
