"""Every URL of the checkout, in the order of a customer's visit."""

from django.urls import path

from checkout.headers import REPORTS_PATH
from checkout.views import (
    account,
    alarms,
    asking,
    button,
    counters,
    images,
    known_devices,
    own_emails,
    passkeys,
    paying,
    pins,
    problems,
    proofs,
    receipts,
    short,
    top_ups,
)
from checkout.views import signing_in as sign_in
from checkout.views.policy_reports import policy_reports

PAYMENT = "checkout/<id:payment_id>"
POSTER = "poster-<slug:size>"

urlpatterns = [
    path("checkout/brand/<slug:color>.css", images.brand, name="checkout-brand"),
    path("checkout/logo/<id:merchant_id>-<slug:digest>.png", images.logo, name="checkout-logo"),
    path(PAYMENT, paying.ReviewPage.as_view(), name="checkout"),
    path(f"{PAYMENT}/status", paying.status, name="checkout-status"),
    path(f"{PAYMENT}/qr.png", images.payment_qr, {"form": "png"}, name="checkout-qr"),
    path(f"{PAYMENT}/qr.svg", images.payment_qr, {"form": "svg"}, name="checkout-qr-svg"),
    path(f"{PAYMENT}/pay", paying.PayAction.as_view(), name="checkout-pay"),
    path(f"{PAYMENT}/short", short.ShortPage.as_view(), name="checkout-short"),
    path(f"{PAYMENT}/declined", short.DeclinedPage.as_view(), name="checkout-declined"),
    path(f"{PAYMENT}/prove", short.ProveAheadAction.as_view(), name="checkout-prove"),
    path(f"{PAYMENT}/back", paying.BackAction.as_view(), name="checkout-back"),
    path(f"{PAYMENT}/cancel", paying.CancelPage.as_view(), name="checkout-cancel"),
    path(f"{PAYMENT}/ask", asking.AskAction.as_view(), name="checkout-ask"),
    path(f"{PAYMENT}/replacement", asking.replacement, name="checkout-replacement"),
    path(f"{PAYMENT}/simulate", paying.SimulateAction.as_view(), name="checkout-simulate"),
    path(f"{PAYMENT}/phone", sign_in.PaymentPhonePage.as_view(), name="checkout-phone"),
    path(f"{PAYMENT}/code", sign_in.PaymentCodePage.as_view(), name="checkout-code"),
    path(f"{PAYMENT}/code/again", sign_in.PaymentAgainAction.as_view(), name="checkout-code-again"),
    path(f"{PAYMENT}/pin", pins.PinPage.as_view(), name="checkout-pin"),
    path(f"{PAYMENT}/pin/new", pins.NewPinPage.as_view(), name="checkout-new-pin"),
    path(f"{PAYMENT}/code/fresh", pins.FreshCodePage.as_view(), name="checkout-fresh-code"),
    path(f"{PAYMENT}/passkey", passkeys.PasskeyPage.as_view(), name="checkout-passkey"),
    path(
        f"{PAYMENT}/passkey/device",
        passkeys.DevicePasskeyAction.as_view(),
        name="checkout-passkey-device",
    ),
    path(
        f"{PAYMENT}/passkey/device/options",
        passkeys.DevicePasskeyOptions.as_view(),
        name="checkout-passkey-device-options",
    ),
    path(
        f"{PAYMENT}/passkey/options",
        passkeys.PaymentPasskeyOptions.as_view(),
        name="checkout-passkey-options",
    ),
    path(f"{PAYMENT}/passkey/pin", pins.PasskeyPinPage.as_view(), name="checkout-passkey-pin"),
    path(f"{PAYMENT}/passkey/new", passkeys.NewPasskeyPage.as_view(), name="checkout-passkey-new"),
    path(
        f"{PAYMENT}/passkey/new/options",
        passkeys.NewPasskeyOptions.as_view(),
        name="checkout-passkey-new-options",
    ),
    path(f"{PAYMENT}/{POSTER}.pdf", images.payment_poster, {"form": "pdf"}, "checkout-poster"),
    path(f"{PAYMENT}/{POSTER}.svg", images.payment_poster, {"form": "svg"}, "checkout-poster-svg"),
    path("pay/button.js", button.button_script, name="button-script"),
    path("pay/<slug:merchant_slug>/<id:link_id>/button", button.press_button, name="button"),
    path("pay/<slug:merchant_slug>/<id:link_id>", counters.LinkPage.as_view(), name="link"),
    path(
        f"pay/<slug:merchant_slug>/<id:link_id>/{POSTER}.pdf",
        images.link_poster,
        {"form": "pdf"},
        name="link-poster",
    ),
    path(
        f"pay/<slug:merchant_slug>/<id:link_id>/{POSTER}.svg",
        images.link_poster,
        {"form": "svg"},
        name="link-poster-svg",
    ),
    path("counter/<id:payment_id>/<id:token>", counters.CounterScreen.as_view(), name="counter"),
    path(
        "counter/<id:payment_id>/<id:token>/feed",
        counters.CounterFeed.as_view(),
        name="counter-feed",
    ),
    path("receipts/<id:payment_id>", receipts.ReceiptPage.as_view(), name="receipt"),
    path("receipts/<id:payment_id>.pdf", receipts.ReceiptPdf.as_view(), name="receipt-pdf"),
    path("receipts/<id:payment_id>.json", receipts.ReceiptFile.as_view(), name="receipt-file"),
    path("receipts/<id:payment_id>/proof", receipts.ReceiptProof.as_view(), name="receipt-proof"),
    path(
        "receipts/<id:payment_id>/problem", problems.ProblemPage.as_view(), name="receipt-problem"
    ),
    path("top-ups/<id:top_up_id>", top_ups.TopUpPage.as_view(), name="top-up"),
    path("top-ups/<id:top_up_id>/status", top_ups.status, name="top-up-status"),
    path("top-ups/<id:top_up_id>/cancel", top_ups.CancelTopUp.as_view(), name="top-up-cancel"),
    path("account", account.AccountPage.as_view(), name="account"),
    path("account/phone", known_devices.AccountPhonePage.as_view(), name="account-phone"),
    path(
        "account/sign-in/options",
        known_devices.SignInOptions.as_view(),
        name="account-sign-in-options",
    ),
    path("account/code", account.AccountCodePage.as_view(), name="account-code"),
    path("account/code/again", account.AccountAgainAction.as_view(), name="account-code-again"),
    path("account/payments", proofs.ShowPaymentsPage.as_view(), name="account-payments"),
    path("account/pin", account.ChangePinPage.as_view(), name="account-pin"),
    path("account/pin/forgotten", account.ForgottenPinPage.as_view(), name="account-pin-forgotten"),
    path("account/pin/proof", proofs.ProvePasskeyForPinPage.as_view(), name="account-pin-proof"),
    path("account/passkeys/new", proofs.AddPasskeyPage.as_view(), name="account-passkey-new"),
    path(
        "account/passkeys/options",
        proofs.ProofPasskeyOptions.as_view(),
        name="account-passkey-options",
    ),
    path(
        "account/passkeys/<int:passkey_id>/remove",
        proofs.RemovePasskeyPage.as_view(),
        name="account-passkey-remove",
    ),
    path("account/email", own_emails.OwnEmailPage.as_view(), name="account-email"),
    path("account/add", top_ups.AddMoneyPage.as_view(), name="account-add"),
    path("account/sign-out", account.SignOutAction.as_view(), name="account-sign-out"),
    path("not-me/<str:token>", alarms.NotMePage.as_view(), name="not-me"),
    path(
        "confirm-address/<str:token>",
        own_emails.ConfirmAddressPage.as_view(),
        name="confirm-address",
    ),
    path(REPORTS_PATH, policy_reports, name="policy-reports"),
]
