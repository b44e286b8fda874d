"""Every screen of the checkout with sample content, to read, to look at and to check.

`SCREENS` names each state; what a state says comes from where the product says it, in the language
of the page.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.conf import settings

from checkout import forms as f
from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.counter_screens import CounterDay
from checkout.endings import counter_closed, wallet_stopped
from checkout.payment_view import Item, Payee
from checkout.refusals import message_for
from checkout.till_forms import ChargeForm, TicketForm
from core.errors import Conflict, InternalError, RateLimited, ValidationFailed
from customers.errors import (
    CustomerFrozen,
    InvalidCode,
    InvalidPin,
    NewProofLimitReached,
    PinLocked,
    ProofMethod,
)
from customers.pin_locks import LOCK
from links.errors import PaymentLinkInactive
from payments.errors import PaymentNotFound
from payments.failures import PIN_LOCKED
from payments.statuses import PaymentStatus
from sandbox.screen_samples import (
    ARRIVED,
    BANK_ROWS,
    BASE,
    BILL,
    CHOICES,
    COUNTER_BILL,
    INVOICE,
    NOW,
    ON_ITS_WAY,
    ORDER,
    PROBLEM,
    PRODUCTS,
    ROWS,
    TICKETS,
    TOP_UP,
    WRITTEN,
    Person,
    PreviewRefund,
    ended,
    filled,
    proof,
    stopped,
)

LONG = replace(
    ORDER,
    description="x" * 200,
    payee=Payee("W" * 60, support_email=f"{'m' * 60}@{'h' * 60}.example"),
    items=(Item("I" * 80, 999_999, 99_999_900_000), *ORDER.items),
    facts=(("Order", "O" * 120),),
)
Screen = Callable[[], tuple[str, dict[str, Any]]]
CODE = BASE | {
    "phone": "+12425550100",
    "way": {"phone_address": "#", "again_address": "#"},
}
NEW_PASSKEY = {
    "payment_view": ORDER,
    "customer": Person(),
    "passkey_above": settings.PASSKEY_ABOVE,
    "new_limit": settings.RISK_NEW_PROOF_AMOUNT,
    "new_hours": settings.RISK_NEW_PROOF_HOURS,
}
LIVE = BASE | {"livemode": True}
SCREEN = {
    "livemode": True,
    "feed_address": "/preview/feed",
    "posters": (("Poster A4", "#"), ("Poster A5", "#"), ("Table card", "#")),
}

SCREENS: dict[str, Screen] = {
    "review": lambda: ("review", LIVE),
    "review-signed-in": lambda: ("review", BASE | {"customer": Person(), "balance": 10_000_000}),
    "review-pin": lambda: (
        "review",
        BASE | {"customer": Person(), "balance": 98_750, "pin_form": f.PinForm()},
    ),
    "review-order": lambda: ("review", BASE | {"payment_view": ORDER}),
    "review-invoice": lambda: ("review", BASE | {"payment_view": INVOICE, "livemode": True}),
    "review-long": lambda: ("review", BASE | {"payment_view": LONG}),
    "phone": lambda: ("phone", BASE | {"form": filled(f.PhoneForm)}),
    "phone-error": lambda: (
        "phone",
        LIVE | {"form": filled(f.PhoneForm, ValidationFailed(phone="must be one"), phone="12 34")},
    ),
    "code": lambda: ("code", CODE | {"form": filled(f.SmsCodeForm)}),
    "code-error": lambda: (
        "code",
        CODE | {"form": filled(f.SmsCodeForm, InvalidCode(attempts_left=3), code="123456")},
    ),
    "new-pin": lambda: (
        "new_pin",
        BASE | {"form": filled(f.NewPinForm), "customer": Person(), "pays": True},
    ),
    "pin": lambda: ("pin", BASE | {"form": filled(f.PinForm), "customer": Person()}),
    "pin-locked": lambda: (
        "pin",
        BASE
        | {
            "form": filled(f.PinForm),
            "customer": Person(),
            "locked": message_for(PinLocked(NOW + LOCK), zone=BILL.zone, now=NOW),
        },
    ),
    "declined-open": lambda: ("declined", BASE | {"customer": Person()}),
    "review-passkey": lambda: ("review", LIVE | {"passkey_at": "#"}),
    "pin-error": lambda: (
        "pin",
        LIVE
        | {
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
    "sign-in": lambda: ("sign_in", {"livemode": True}),
    "not-me": lambda: ("not_me", {"livemode": True}),
    "passkey": lambda: ("passkey", BASE | {"payment_view": ORDER, "customer": Person()}),
    "passkey-new": lambda: (
        "passkey_new",
        BASE | NEW_PASSKEY | {"pays_at_once": True, "pin_will_do": True},
    ),
    "passkey-new-limited": lambda: ("passkey_new", BASE | NEW_PASSKEY),
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
    "review-coming": lambda: ("review", LIVE | {"customer": Person(), "coming": ON_ITS_WAY}),
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
    "expired-asked": lambda: ended(PaymentStatus.EXPIRED, may_ask=False, waits=True),
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
    "link": lambda: ("link", LIVE | {"form": RepeatGuardForm(initial={"key": "k"})}),
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
    "problem": lambda: ("problem", PROBLEM),
    "problem-answered": lambda: ("problem", PROBLEM | {"entries": WRITTEN, "reported": True}),
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
        LIVE | {"payment_view": replace(COUNTER_BILL, amount=2_070, tip=270)},
    ),
    "till": lambda: (
        "counter",
        SCREEN
        | {
            "payment_view": COUNTER_BILL,
            "sales": ROWS,
            "day": CounterDay(3, 187_199, 450, 950),
            "tickets": TICKETS,
            "takes_sums": True,
            "form": ChargeForm(currency="BSD", products=PRODUCTS),
            "decimal_point": ".",
            "group_mark": ",",
        },
    ),
    "counter": lambda: (
        "counter",
        SCREEN
        | {
            "day": CounterDay(3, 187_199, 0, 0),
            "payment_view": replace(BILL, description="Bar counter"),
            "sales": (replace(ROWS[0], refund_words="Refunded"), *ROWS[1:]),
        },
    ),
    "counter-closed": lambda: ("stopped", {"livemode": True, "end": counter_closed()}),
    "link-ended": lambda: stopped(PaymentLinkInactive(), payment_address=""),
    "wallet-stopped": lambda: ("stopped", {"livemode": True, "end": wallet_stopped()}),
    "frozen": lambda: stopped(CustomerFrozen()),
    "new-proof": lambda: stopped(NewProofLimitReached()),
    "too-often": lambda: stopped(RateLimited()),
    "busy": lambda: stopped(Conflict()),
    "fault": lambda: stopped(InternalError()),
    "missing": lambda: stopped(PaymentNotFound()),
}
