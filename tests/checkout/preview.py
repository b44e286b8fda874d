"""Every screen of the checkout with sample content, to look at and to check for accessibility.

`SCREENS` names each state; `preview` serves one at /preview/<name>. Only tests import this.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from checkout import forms as f
from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.endings import Ending
from checkout.pages import FIGURES
from checkout.payment_view import Item, Payee
from checkout.test_mode import magic_phones, outcomes
from tests.checkout.preview_samples import (
    ARRIVED,
    BANK_ROWS,
    BILL,
    CHOICES,
    INVOICE,
    NOW,
    ON_ITS_WAY,
    ORDER,
    PAID,
    ROWS,
    TOP_UP,
    Person,
    PreviewRefund,
)


def filled(form: type[f.Form], error: str = "", **values: str) -> f.Form:
    """Return a form, empty or with one answer refused."""
    if not error:
        return form()
    bound = form(values)
    bound.is_valid()
    bound.first_field_error(error)
    return bound


def ended(title: str, happened: str, look: str = "is-still", **more: str) -> dict[str, Any]:
    return {"payment_view": BILL, "end": Ending(title, look, happened, **more), "untaken": True}


LONG = replace(
    ORDER,
    description="x" * 200,
    payee=Payee("W" * 60, support_email=f"{'m' * 60}@{'h' * 60}.example"),
    items=(Item("I" * 80, 999_999, 99_999_900_000), *ORDER.items),
    facts=(("Order", "O" * 120),),
)
Screen = Callable[[], tuple[str, dict[str, Any]]]
WAY = {"phone_address": "#", "again_address": "#"}
BASE = {
    "payment_view": BILL,
    "balance": 410,
    "magic_phones": magic_phones(),
    "outcomes": outcomes(),
}
SCREENS: dict[str, Screen] = {
    "review": lambda: ("review", BASE | {"livemode": True}),
    "review-signed-in": lambda: ("review", BASE | {"customer": Person(), "balance": 10_000_000}),
    "review-order": lambda: ("review", BASE | {"payment_view": ORDER}),
    "review-invoice": lambda: ("review", BASE | {"payment_view": INVOICE, "livemode": True}),
    "review-long": lambda: ("review", BASE | {"payment_view": LONG}),
    "phone": lambda: ("phone", BASE | {"form": filled(f.PhoneForm)}),
    "phone-error": lambda: (
        "phone",
        BASE
        | {
            "livemode": True,
            "form": filled(
                f.PhoneForm,
                "That is not a phone number. With country code: +1 242 555 0100.",
                phone="12 34",
            ),
        },
    ),
    "code": lambda: (
        "code",
        BASE | {"form": filled(f.SmsCodeForm), "phone": "+12425550100", "way": WAY},
    ),
    "new-pin": lambda: ("new_pin", BASE | {"form": filled(f.NewPinForm), "customer": Person()}),
    "pin": lambda: ("pin", BASE | {"form": filled(f.PinForm), "customer": Person()}),
    "pin-error": lambda: (
        "pin",
        BASE
        | {
            "livemode": True,
            "form": filled(f.PinForm, "That PIN is not right. 3 tries left.", pin="9999"),
            "customer": Person(),
        },
    ),
    "passkey": lambda: ("passkey", BASE | {"payment_view": ORDER, "customer": Person()}),
    "passkey-new": lambda: (
        "passkey_new",
        BASE | {"payment_view": ORDER, "customer": Person(), "passkey_above": 5000},
    ),
    "short": lambda: ("short", BASE | {"missing": 840, "customer": Person(), "choices": CHOICES}),
    "short-nowhere": lambda: ("short", BASE | {"missing": 840, "customer": Person()}),
    "add": lambda: (
        "add",
        {
            "customer": Person(),
            "livemode": True,
            "form": AmountForm(currency="BSD"),
            "choices": CHOICES[:2],
            "back_address": "#",
        },
    ),
    "top-up-transfer": lambda: (
        "top_up",
        TOP_UP | {"bank_rows": BANK_ROWS, "waits": True, "is_own": True},
    ),
    "top-up-goes-on": lambda: (
        "top_up",
        TOP_UP | {"bank_rows": BANK_ROWS, "waits": True, "goes_on": True},
    ),
    "top-up-cash": lambda: (
        "top_up",
        {
            "top_up": replace(ON_ITS_WAY, way="agent", way_name="Cash at a counter"),
            "cash_place": "12 Bay Street, Nassau",
            "is_own": True,
            "livemode": True,
        },
    ),
    "top-up-receipt": lambda: (
        "top_up",
        {"top_up": ARRIVED, "zone": "America/Nassau", "livemode": True, "is_own": True},
    ),
    "review-coming": lambda: (
        "review",
        BASE | {"customer": Person(), "coming": ON_ITS_WAY, "livemode": True},
    ),
    "processing": lambda: ("processing", BASE),
    "completed": lambda: ("completed", BASE | {"payment_view": PAID, "livemode": True}),
    "completed-already": lambda: ("completed", BASE | {"payment_view": PAID, "already": True}),
    "failed": lambda: (
        "ended",
        ended(
            "The payment failed",
            "The PIN was wrong too often.",
            "is-bad",
            next="Your PIN is locked for 30 minutes. Ask for a new payment after that.",
            back_address="https://conch.example",
        ),
    ),
    "expired": lambda: (
        "ended",
        ended(
            "This payment has expired",
            "It had to be paid by 2:05 pm.",
            again_address="https://conch.example",
            again_words="Ask for a new payment",
        ),
    ),
    "canceled": lambda: (
        "ended",
        ended(
            "This payment was canceled",
            "It can no longer be paid.",
            back_address="https://conch.example",
        ),
    ),
    "cancel": lambda: ("cancel", BASE),
    "cancel-long": lambda: ("cancel", BASE | {"payment_view": LONG}),
    "keypad": lambda: (
        "keypad",
        BASE
        | {
            "payment_view": replace(BILL, amount=None, description="Bar counter", expires_at=None),
            "form": AmountForm(initial={"key": "k"}, currency="BSD"),
            "decimal_point": ".",
            "group_mark": ",",
        },
    ),
    "link": lambda: (
        "link",
        BASE | {"form": RepeatGuardForm(initial={"key": "k"}), "livemode": True},
    ),
    "receipt": lambda: (
        "receipt",
        BASE
        | {
            "payment_view": replace(
                PAID,
                items=ORDER.items,
                amount=184_999,
                difference=4_500,
            ),
            "refunds": (PreviewRefund(118_000, NOW, "pending", "Came back unused"),),
            "state": {"look": "is-wait", "words": "Paid, partly paid back"},
            "form": filled(f.EmailForm),
            "livemode": True,
        },
    ),
    "account": lambda: (
        "account",
        {
            "customer": Person(),
            "livemode": True,
            "balances": ({"amount": 1_234_567, "currency": "BSD"},),
            "entries": [
                {"payment": row, "refunds": [PreviewRefund(400, NOW)] if row is ROWS[0] else []}
                for row in ROWS
            ],
            "top_ups": (ON_ITS_WAY, ARRIVED),
            "passkeys": (replace(ROWS[0], id=1),),
            "zone": "America/Nassau",
            "has_pin": True,
        },
    ),
    "counter": lambda: (
        "counter",
        {
            "payment_view": replace(BILL, description="Bar counter"),
            "livemode": True,
            "sales": (replace(ROWS[0], refund_words="Paid back"), *ROWS[1:]),
            "feed_address": "/preview/feed",
            "posters": (("Poster A4", "#"), ("Poster A5", "#"), ("Table card", "#")),
        },
    ),
    "missing": lambda: (
        "stopped",
        {
            "livemode": True,
            "end": Ending(
                "We cannot find this page",
                "is-still",
                "The address may be cut off or mistyped.",
                "Open the link again from where you got it, or scan the code once more.",
            ),
        },
    ),
}


def preview(request: HttpRequest, name: str) -> HttpResponse:
    template, context = SCREENS[name]()
    payment_view = context.get("payment_view")
    common = {
        "service_name": "Lagoon Pay",
        "livemode": False,
        "languages": (
            ("en", "English"),
            ("es", "Español"),
            ("fr", "Français"),
            ("ht", "Kreyòl"),
        ),
        "figures": FIGURES,
        "brand_color": payment_view.payee.brand_color if payment_view else "",
    }
    return render(request, f"checkout/{template}.html", common | context)
