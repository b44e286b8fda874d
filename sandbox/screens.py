"""Every screen of the checkout with sample content, to read, inspect and test.

`SCREENS` names each state; its texts come from the product's own code, in the language of the page.
"""

from dataclasses import replace

from django.conf import settings
from django.utils.translation import gettext as _

from checkout import forms as f
from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.counter_screens import CounterDay
from checkout.endings import counter_closed, no_cookie, page_too_old, wallet_stopped, which_shop
from checkout.payment_view import Item, Payee
from checkout.problems import ProblemEntry
from checkout.receipts import ReceiptProofView, Seller
from checkout.till_forms import ChargeForm, CounterAmountForm, TicketForm
from core.errors import Conflict, InternalError, RateLimited, ValidationFailed
from customers.errors import (
    CustomerFrozen,
    InvalidCode,
    InvalidPin,
    NewProofLimitReached,
)
from customers.pin_locks import LOCK
from links.errors import PaymentLinkInactive
from merchants.errors import MerchantInactive
from payments.errors import PaymentNotFound
from payments.failures import PIN_LOCKED
from payments.statuses import PaymentStatus
from sandbox.own_screens import OWN_SCREENS
from sandbox.screen_samples import (
    BASE,
    CHOICES,
    COUNTER_SALE,
    INVOICE,
    NOW,
    ON_ITS_WAY,
    ORDER,
    PAID,
    PROBLEM,
    PRODUCTS,
    ROWS,
    SALE,
    TICKETS,
    WRITTEN,
    Person,
    PreviewRefund,
    Screen,
    ended,
    filled,
    locked_words,
    proof,
    proved,
    stopped,
)

LONG = replace(
    ORDER,
    description="x" * 200,
    payee=Payee("W" * 60, support_email=f"{'m' * 60}@{'h' * 60}.example"),
    items=(Item("I" * 80, 999_999, 99_999_900_000), *ORDER.items),
    facts=(("Order", "O" * 120),),
)
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

PIN = BASE | {"form": f.PinForm(), "customer": Person()}
SOLD = replace(
    PAID, amount=2_070, tip=270, tax=164, items=(Item("Sky Juice", 2, 1_800),), success_address=""
)
KEYS = {"decimal_point": ".", "group_mark": ",", "decimals": 2}
KEYPAD = BASE | KEYS | {"payment_view": replace(COUNTER_SALE, amount=None)}
TILL = SCREEN | KEYS | {"payment_view": COUNTER_SALE, "takes_sums": True}

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
    "code-again": lambda: ("code", CODE | {"form": filled(f.SmsCodeForm), "sent_again": True}),
    "phone-signed-out": lambda: (
        "phone",
        LIVE | {"form": filled(f.PhoneForm), "signed_out": True},
    ),
    "phone-expired-code": lambda: ("phone", LIVE | {"form": filled(f.PhoneForm), "expired": True}),
    "new-pin": lambda: (
        "new_pin",
        BASE | {"form": filled(f.NewPinForm), "customer": Person(), "pays": True},
    ),
    "pin": lambda: ("pin", PIN),
    "pin-long": lambda: ("pin", PIN | {"payment_view": LONG}),
    "pin-or-passkey": lambda: ("pin", PIN | {"has_passkey": True}),
    "pin-for-passkey": lambda: ("pin", PIN | {"for_passkey": True}),
    "pin-locked": lambda: ("pin", PIN | {"locked": locked_words(NOW + LOCK)}),
    "pin-locked-passkey": lambda: ("pin", PIN | {"locked": locked_words(), "has_passkey": True}),
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
    "fresh-code-sent": lambda: (
        "fresh_code",
        BASE | {"form": filled(f.SmsCodeForm), "phone": "+12425550100", "customer": Person()},
    ),
    "passkey": lambda: ("passkey", BASE | {"payment_view": ORDER, "customer": Person()}),
    "passkey-or-pin": lambda: ("passkey", LIVE | {"customer": Person(), "pin_will_do": True}),
    "passkey-or-new": lambda: ("passkey", LIVE | {"customer": Person(), "may_add": True}),
    "passkey-new": lambda: (
        "passkey_new",
        BASE | NEW_PASSKEY | {"pays_at_once": True, "pin_will_do": True},
    ),
    "passkey-new-limited": lambda: ("passkey_new", BASE | NEW_PASSKEY | {"ends_before": True}),
    "short": lambda: ("short", BASE | {"missing": 840, "customer": Person(), "choices": CHOICES}),
    "short-nowhere": lambda: ("short", BASE | {"missing": 840, "customer": Person()}),
    "review-coming": lambda: ("review", LIVE | {"customer": Person(), "coming": ON_ITS_WAY}),
    "review-arrived": lambda: (
        "review",
        LIVE | {"customer": Person(), "balance": 1_250, "has_come": True},
    ),
    "processing": lambda: ("processing", BASE),
    "receipt-paid": lambda: proof(goes_on=True),
    "receipt-by-another": lambda: proof(paid_before=True, paid_by_another=True),
    "receipt-before": lambda: proof(paid_before=True),
    "receipt-refunded-in-part": lambda: proof(
        118_000,
        PreviewRefund(118_000, reason="Came back unused"),
        PreviewRefund(1_000, succeeded_at=None),
    ),
    "receipt-refunded": lambda: proof(184_999, PreviewRefund(184_999)),
    "receipt-of-seller": lambda: proof(
        payment_view=SOLD, seller=Seller("12 Bay Street\nNassau", "TIN 100-200-300")
    ),
    "receipt-proof": lambda: proved(proof=ReceiptProofView(7, 1_204, "A1+" * 14)),
    "receipt-proof-wrong": lambda: proved(
        proof=ReceiptProofView(is_wrong=True), support_email="help@lagoon.example"
    ),
    "receipt-proof-awaited": proved,
    "failed": lambda: ended(PaymentStatus.FAILED, PIN_LOCKED),
    "declined": lambda: ended(PaymentStatus.FAILED),
    "expired": lambda: ended(PaymentStatus.EXPIRED),
    "expired-asked": lambda: ended(PaymentStatus.EXPIRED, may_ask=False, waits=True),
    "expired-replaced": lambda: ended(PaymentStatus.EXPIRED, may_ask=False, by="pay_2"),
    "canceled": lambda: ended(PaymentStatus.CANCELED),
    "sum-gone": lambda: ended(PaymentStatus.CANCELED, ticket_id="tkt_1", may_ask=False),
    "cancel": lambda: ("cancel", BASE),
    "cancel-long": lambda: ("cancel", BASE | {"payment_view": LONG}),
    "keypad": lambda: (
        "keypad",
        KEYPAD | {"form": AmountForm(initial={"key": "k"}, currency="BSD")},
    ),
    "link": lambda: ("link", LIVE | {"form": RepeatGuardForm(initial={"key": "k"})}),
    "keypad-error": lambda: ("keypad", KEYPAD | {"form": _own_amount({"amount": "12.5.5"})}),
    "keypad-tips": lambda: ("keypad", KEYPAD | {"form": _own_amount(None), "tips_allowed": True}),
    "problem": lambda: ("problem", PROBLEM),
    "problem-told": lambda: (
        "problem",
        PROBLEM
        | {"entries": WRITTEN[:1], "is_payer": True, "is_answer_sent": True, "done": "told"},
    ),
    "problem-told-by-visitor": lambda: (
        "problem",
        PROBLEM | {"entries": _by_visitor(), "done": "told"},
    ),
    "problem-reported": lambda: (
        "problem",
        PROBLEM | {"entries": WRITTEN[:1], "is_payer": True, "done": "reported"},
    ),
    "problem-answered": lambda: ("problem", PROBLEM | {"entries": WRITTEN, "is_payer": True}),
    "ticket": lambda: (
        "ticket",
        BASE
        | {
            "payment_view": replace(COUNTER_SALE, items=(Item("Sky Juice", 2, 1_800),)),
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
            "payment_view": COUNTER_SALE,
            "form": TicketForm(initial={"key": "k"}, currency="BSD", sum_amount=1_800, tips=False),
            "own_amount": "own",
            "ticket_id": "tkt_1",
        },
    ),
    "tickets": lambda: (
        "tickets",
        BASE
        | {"payment_view": replace(COUNTER_SALE, amount=None), "tickets": TICKETS, "is_gone": True},
    ),
    "review-tip": lambda: (
        "review",
        LIVE | {"payment_view": replace(COUNTER_SALE, amount=2_070, tip=270)},
    ),
    "till": lambda: (
        "counter",
        TILL
        | {
            "sales": ROWS,
            "day": CounterDay(3, 187_199, 450, 950),
            "tickets": TICKETS,
            "form": ChargeForm(currency="BSD", products=PRODUCTS),
        },
    ),
    "till-error": lambda: (
        "counter",
        TILL | {"day": CounterDay(0, 0, 0, 0), "form": _charge({"amount": "x"})},
    ),
    "counter": lambda: (
        "counter",
        SCREEN
        | {
            "day": CounterDay(3, 187_199, 0, 0),
            "payment_view": replace(SALE, description="Bar counter"),
            "sales": (replace(ROWS[0], refund_words="Refunded"), *ROWS[1:]),
        },
    ),
    "counter-closed": lambda: ("stopped", {"livemode": True, "end": counter_closed()}),
    "link-ended": lambda: stopped(PaymentLinkInactive(), payment_address=""),
    "shop-stopped": lambda: stopped(MerchantInactive(), payment_address=""),
    "wallet-stopped": lambda: ("stopped", {"livemode": True, "end": wallet_stopped()}),
    "which-shop": lambda: ("stopped", BASE | {"payment_view": None, "end": which_shop()}),
    "frozen": lambda: stopped(CustomerFrozen()),
    "new-proof": lambda: stopped(NewProofLimitReached()),
    "too-often": lambda: stopped(RateLimited()),
    "busy": lambda: stopped(Conflict()),
    "fault": lambda: stopped(InternalError()),
    "missing": lambda: stopped(PaymentNotFound()),
    "too-old": lambda: ("stopped", {"livemode": True, "end": page_too_old("#", _("Try again"))}),
    "no-cookie": lambda: ("stopped", {"livemode": True, "end": no_cookie("#", _("Try again"))}),
} | OWN_SCREENS


def _own_amount(data: dict[str, str] | None) -> CounterAmountForm:
    form = CounterAmountForm(data, initial={"key": "k"}, currency="BSD", tips=True)
    form.is_valid()
    return form


def _by_visitor() -> tuple[ProblemEntry, ...]:
    return (replace(WRITTEN[0], who=_("Someone with this receipt"), is_own=False),)


def _charge(data: dict[str, str]) -> ChargeForm:
    form = ChargeForm(data, currency="BSD", products=[])
    form.is_valid()
    return form
