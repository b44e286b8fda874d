"""Every screen of the checkout with sample content, to read, to look at and to check.

`SCREENS` names each state; what a state says comes from where the product says it, in the language
of the page.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from checkout import forms as f
from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.counter_screens import CounterDay
from checkout.endings import counter_closed, ending_of, stop_for, wallet_stopped
from checkout.payment_view import Item, Payee
from checkout.problems import ProblemEntry, ProblemForm
from checkout.receipts import receipt_state_of
from checkout.refusals import message_for
from checkout.test_mode import magic_phones, outcomes
from checkout.till_forms import ChargeForm, TicketForm
from core.errors import ApiError, Conflict, InternalError, RateLimited, ValidationFailed
from customers.errors import CustomerFrozen, InvalidPin, NewProofLimitReached, ProofMethod
from links.errors import PaymentLinkInactive
from payments.errors import PaymentNotFound
from payments.events import sample_payment
from payments.failures import DECLINED, PIN_LOCKED, Failure
from payments.statuses import PaymentStatus
from sandbox.screen_samples import (
    ARRIVED,
    BANK_ROWS,
    BILL,
    CHOICES,
    COUNTER_BILL,
    INVOICE,
    NOW,
    ON_ITS_WAY,
    ORDER,
    PAID,
    PRODUCTS,
    ROWS,
    TICKETS,
    TOP_UP,
    Person,
    PreviewRefund,
)


def filled(form: type[f.Form], error: ApiError | None = None, **values: str) -> f.Form:
    """Return a form, empty or with one answer refused."""
    if error is None:
        return form()
    bound = form(values)
    bound.is_valid()
    bound.first_field_error(message_for(error, zone=BILL.zone, now=NOW) or "")
    return bound


def ended(status: PaymentStatus, failure: Failure = DECLINED) -> tuple[str, dict[str, Any]]:
    """Return the screen of a payment that was not paid."""
    payment = sample_payment(status)
    payment.error_code = failure.code
    return "ended", {"payment_view": BILL, "end": ending_of(payment, BILL, status=status)}


def proof(refunded: int = 0, *refunds: PreviewRefund, **more: Any) -> tuple[str, dict[str, Any]]:
    """Return the screen of a paid payment, refunded in part or in full."""
    payment = sample_payment(PaymentStatus.COMPLETED)
    payment.amount, payment.amount_refunded = ORDER.amount, refunded
    shown = replace(
        PAID, items=ORDER.items, amount=ORDER.amount, difference=4_500, amount_refunded=refunded
    )
    found = {"refunds": refunds, "last_refund": refunds[0] if refunded else None}
    common = {"state": receipt_state_of(payment), "form": f.EmailForm(), "livemode": True}
    return "receipt", BASE | {"payment_view": shown} | found | common | more


def stopped(error: ApiError) -> tuple[str, dict[str, Any]]:
    """Return the screen of what stopped a customer."""
    return "stopped", {"livemode": True, "end": stop_for(error, payment_address="#")}


LONG = replace(
    ORDER,
    description="x" * 200,
    payee=Payee("W" * 60, support_email=f"{'m' * 60}@{'h' * 60}.example"),
    items=(Item("I" * 80, 999_999, 99_999_900_000), *ORDER.items),
    facts=(("Order", "O" * 120),),
)
Screen = Callable[[], tuple[str, dict[str, Any]]]
AT_ONCE = {"pays_at_once": True}
WAY = {"phone_address": "#", "again_address": "#"}
BASE = {
    "payment_view": BILL,
    "balance": 410,
    "magic_phones": magic_phones,
    "outcomes": outcomes,
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
            "form": filled(f.PhoneForm, ValidationFailed(phone="must be one"), phone="12 34"),
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
            "form": filled(f.PinForm, InvalidPin(attempts_left=3), pin="9999"),
            "customer": Person(),
        },
    ),
    "fresh-code": lambda: (
        "fresh_code",
        BASE | {"form": filled(f.SmsCodeForm), "phone": "", "customer": Person()},
    ),
    "change-pin": lambda: (
        "new_pin",
        {"form": filled(f.ChangePinForm), "customer": Person(), "back_address": "#"},
    ),
    "reset-pin": lambda: (
        "reset_pin",
        {"form": filled(f.ResetPinForm), "phone": "+12425550100", "back_address": "#"},
    ),
    "reset-pin-asked": lambda: ("reset_pin", {"phone": "", "back_address": "#"}),
    "prove-passkey": lambda: (
        "prove",
        {"title": "Create a passkey", "needed": ProofMethod.PASSKEY, "back_address": "#"},
    ),
    "not-me": lambda: ("not_me", {"livemode": True}),
    "passkey": lambda: ("passkey", BASE | {"payment_view": ORDER, "customer": Person()}),
    "passkey-new": lambda: (
        "passkey_new",
        BASE | {"payment_view": ORDER, "customer": Person(), "passkey_above": 5000, **AT_ONCE},
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
            "top_up": replace(ON_ITS_WAY, way="agent", way_name="Cash"),
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
    "receipt-paid": lambda: proof(goes_on=True),
    "receipt-by-another": lambda: proof(paid_before=True, paid_by_another=True),
    "receipt-before": lambda: proof(paid_before=True),
    "receipt-refunded-in-part": lambda: proof(
        118_000,
        PreviewRefund(118_000, NOW, reason="Came back unused"),
        PreviewRefund(1_000, NOW, "pending"),
    ),
    "receipt-refunded": lambda: proof(184_999, PreviewRefund(184_999, NOW)),
    "failed": lambda: ended(PaymentStatus.FAILED, PIN_LOCKED),
    "declined": lambda: ended(PaymentStatus.FAILED),
    "expired": lambda: ended(PaymentStatus.EXPIRED),
    "canceled": lambda: ended(PaymentStatus.CANCELED),
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
    "problem": lambda: (
        "problem",
        BASE | {"payment_view": PAID, "form": ProblemForm(), "livemode": True},
    ),
    "problem-answered": lambda: (
        "problem",
        BASE
        | {
            "payment_view": PAID,
            "form": ProblemForm(),
            "reported": True,
            "entries": (
                ProblemEntry("You", "", "The tickets have not come.", NOW, is_own=True),
                ProblemEntry(PAID.payee.name, "", "They are on their way.", NOW, is_own=False),
            ),
        },
    ),
    "ticket": lambda: (
        "ticket",
        BASE
        | {
            "payment_view": replace(COUNTER_BILL, items=(Item("Sky Juice", 2, 1_800),)),
            "form": TicketForm(initial={"key": "k"}, currency="BSD", sum_amount=1_800, tips=True),
            "tips_allowed": True,
            "own_amount": "own",
            "ticket_id": "tkt_1",
        },
    ),
    "ticket-plain": lambda: (
        "ticket",
        BASE
        | {
            "payment_view": COUNTER_BILL,
            "form": TicketForm(initial={"key": "k"}, currency="BSD", sum_amount=1_800, tips=False),
            "own_amount": "own",
            "ticket_id": "tkt_1",
        },
    ),
    "tickets": lambda: (
        "tickets",
        BASE
        | {"payment_view": replace(COUNTER_BILL, amount=None), "tickets": TICKETS, "is_gone": True},
    ),
    "review-tip": lambda: (
        "review",
        BASE | {"payment_view": replace(COUNTER_BILL, amount=2_070, tip=270), "livemode": True},
    ),
    "till": lambda: (
        "counter",
        {
            "payment_view": COUNTER_BILL,
            "livemode": True,
            "sales": ROWS,
            "day": CounterDay(3, 187_199, 450, 950),
            "tickets": TICKETS,
            "takes_sums": True,
            "form": ChargeForm(currency="BSD", products=PRODUCTS),
            "decimal_point": ".",
            "group_mark": ",",
            "feed_address": "/preview/feed",
            "posters": (("Poster A4", "#"), ("Poster A5", "#"), ("Table card", "#")),
        },
    ),
    "counter": lambda: (
        "counter",
        {
            "day": CounterDay(3, 187_199, 0, 0),
            "payment_view": replace(BILL, description="Bar counter"),
            "livemode": True,
            "sales": (replace(ROWS[0], refund_words="Paid back"), *ROWS[1:]),
            "feed_address": "/preview/feed",
            "posters": (("Poster A4", "#"), ("Poster A5", "#"), ("Table card", "#")),
        },
    ),
    "counter-closed": lambda: ("stopped", {"livemode": True, "end": counter_closed()}),
    "link-ended": lambda: stopped(PaymentLinkInactive()),
    "wallet-stopped": lambda: ("stopped", {"livemode": True, "end": wallet_stopped()}),
    "frozen": lambda: stopped(CustomerFrozen()),
    "new-proof": lambda: stopped(NewProofLimitReached()),
    "too-often": lambda: stopped(RateLimited()),
    "busy": lambda: stopped(Conflict()),
    "fault": lambda: stopped(InternalError()),
    "missing": lambda: stopped(PaymentNotFound()),
}
