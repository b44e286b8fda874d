"""Every address of the checkout."""

from django.http import HttpRequest, HttpResponse
from django.urls import path


def soon(request: HttpRequest, **kwargs: object) -> HttpResponse:
    return HttpResponse("")


urlpatterns = [
    path("checkout/<id:payment_id>", soon, name="checkout"),
    path("checkout/<id:payment_id>/pay", soon, name="checkout-pay"),
    path("checkout/<id:payment_id>/phone", soon, name="checkout-phone"),
    path("checkout/<id:payment_id>/code", soon, name="checkout-code"),
    path("checkout/<id:payment_id>/code/again", soon, name="checkout-code-again"),
    path("checkout/<id:payment_id>/new-pin", soon, name="checkout-new-pin"),
    path("checkout/<id:payment_id>/verify", soon, name="checkout-verify"),
    path("checkout/<id:payment_id>/passkey", soon, name="checkout-passkey"),
    path("checkout/<id:payment_id>/passkey/options", soon, name="checkout-passkey-options"),
    path("checkout/<id:payment_id>/passkey/new", soon, name="checkout-passkey-new"),
    path("checkout/<id:payment_id>/passkey/new/options", soon, name="checkout-passkey-new-options"),
    path("checkout/<id:payment_id>/back", soon, name="checkout-back"),
    path("checkout/<id:payment_id>/cancel", soon, name="checkout-cancel"),
    path("checkout/<id:payment_id>/status", soon, name="checkout-status"),
    path("checkout/<id:payment_id>/simulate", soon, name="checkout-simulate"),
    path("checkout/<id:payment_id>/qr.png", soon, name="checkout-qr"),
    path("checkout/<id:payment_id>/qr.svg", soon, name="checkout-qr-svg"),
    path("checkout/<id:payment_id>/poster-<slug:size>.<slug:kind>", soon, name="checkout-poster"),
    path("counter/<id:payment_id>/<slug:token>", soon, name="counter"),
    path("counter/<id:payment_id>/<slug:token>/feed", soon, name="counter-feed"),
    path("pay/<slug:slug>/<id:link_id>", soon, name="link"),
    path("receipts/<id:payment_id>", soon, name="receipt"),
    path("receipts/<id:payment_id>.pdf", soon, name="receipt-pdf"),
    path("account", soon, name="account"),
    path("account/phone", soon, name="account-phone"),
    path("account/code", soon, name="account-code"),
    path("account/pin", soon, name="account-pin"),
    path("account/pin/forgotten", soon, name="account-pin-forgotten"),
    path("account/passkeys/<id:passkey_id>/remove", soon, name="account-passkey-remove"),
    path("account/sign-out", soon, name="account-sign-out"),
    path("checkout/brand/<slug:color>.css", soon, name="checkout-brand"),
]
