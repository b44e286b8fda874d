"""Every screen of the checkout with sample content, to look at and to check for accessibility.

`SCREENS` names each state; `preview` serves one at /preview/<name>. Only tests import this.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from checkout import forms as f
from checkout.adding import TopUpView, WayChoice
from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.endings import Ending
from checkout.pages import FIGURES
from checkout.payment_view import Item, Payee, PaymentView
from checkout.test_mode import magic_phones, outcomes

NOW = datetime.now(UTC)
CONCH = Payee("Conch & Co. Beach Bar", support_email="hello@conch.example")
BILL = PaymentView(
    id="pay_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    payee=CONCH,
    amount=1250,
    currency="BSD",
    description="Table 7: two conch salads, one Sky Juice",
    address="http://localhost/checkout/pay_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    expires_at=NOW + timedelta(minutes=23),
    until="2:05 pm",
    left="23 min left",
    version="open",
    cancel_address="https://conch.example",
    payable=True,
)
ORDER = replace(
    BILL,
    until="22 Nov, 2:05 pm",
    left="23 h 10 min left",
    expires_at=NOW + timedelta(hours=23, minutes=10),
    amount=184_999,
    description="Order 10042, pick-up at Bay Street",
    items=(
        Item("Snorkel set, adult", 2, 118_000),
        Item("Reef-safe sun lotion 200 ml", 1, 2_499),
        Item("Boat seat, half day", 1, 60_000),
    ),
    difference=4_500,
    facts=(("Order", "10042"),),
    payee=replace(CONCH, name="Blue Hole Outfitters", brand_color="ffd400"),
)
INVOICE = replace(
    BILL,
    amount=12_500_000,
    description="",
    facts=(("Invoice", "2026-0117"), ("Due", "21 Dec 2026"), ("Terms", "Net 30")),
    payee=replace(CONCH, name="Nassau Marine Surveyors", brand_color="8b1e3f"),
)
PAID = replace(
    BILL,
    expires_at=None,
    completed_at=NOW,
    transaction_id="txn_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    success_address="https://conch.example/thanks?payment_id=pay_1",
    payer="•••• 0100",
)


@dataclass(frozen=True)
class Person:
    phone: str = "+12425550100"
    masked_phone: str = "+1 242 ••• 0100"
    has_pin: bool = True


@dataclass(frozen=True)
class PreviewRefund:
    amount: int
    created_at: datetime
    status: str = "succeeded"
    reason: str = ""


@dataclass(frozen=True)
class Row:
    id: int | str
    merchant: Payee
    amount: int
    completed_at: datetime
    digits: str = "0100"
    currency: str = "BSD"
    zone: str = "America/Nassau"
    refund_words: str = ""
    name: str = "iPhone"
    created_at: datetime = NOW


ROWS = tuple(
    Row(f"pay_{n}", Payee(name), amount, NOW - timedelta(minutes=7 * n))
    for n, (name, amount) in enumerate(
        (("Conch & Co. Beach Bar", 1250), ("Blue Hole Outfitters", 184_999), ("Fish Fry", 950))
    )
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
CHOICES = [
    WayChoice("bank_transfer", "Bank transfer", "From your bank, in one or two business days."),
    WayChoice("agent", "Cash at a counter", "Show a code and pay cash. It is there at once."),
    WayChoice("simulated", "Simulated", "Test money, there in a few seconds."),
]
BANK_ROWS = [("To", "Payments Ltd"), ("Account", "000777"), ("Bank", "Bank of the Islands")]
ON_ITS_WAY = TopUpView(
    id="top_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    way="bank_transfer",
    way_name="Bank transfer",
    state="On its way",
    look="is-wait",
    amount=840,
    currency="BSD",
    reference="RF47 K7P2 9QXM",
    created_at=NOW,
    expires_at=NOW + timedelta(days=30),
    arrived_at=None,
    transaction_id="",
    is_pending=True,
    version="pending-open",
)
ARRIVED = replace(
    ON_ITS_WAY,
    state="Added",
    look="",
    arrived_at=NOW,
    transaction_id="txn_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    is_pending=False,
)
TOP_UP = {"top_up": ON_ITS_WAY, "payment_view": BILL, "livemode": True, "customer": Person()}
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
