"""Sample payments, people and top-ups for the previews of the checkout, and their screens.

`in_language` translates them as the product would, into the language of the page.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from checkout import forms as f
from checkout.adding import TopUpView, WayChoice
from checkout.endings import ending_of, replaced, stop_for
from checkout.formats import last_moment, signs, time_left
from checkout.payment_view import Item, Payee, PaymentView
from checkout.problems import ProblemEntry, ProblemForm
from checkout.receipts import receipt_state_of
from checkout.refusals import field_of, message_for
from checkout.test_mode import magic_phones, outcomes
from core.clock import utc_now
from core.errors import ApiError
from customers.errors import PinLocked
from payments.events import sample_payment
from payments.failures import DECLINED, Failure
from payments.statuses import PaymentStatus

Screen = Callable[[], tuple[str, dict[str, Any]]]
NOW = utc_now()
CONCH = Payee("Conch & Co. Beach Bar", support_email="hello@conch.example")
SALE = PaymentView(
    id="pay_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    payee=CONCH,
    amount=1250,
    currency="BSD",
    description="Table 7: two conch salads, one Sky Juice",
    address="http://localhost/checkout/pay_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    path="/checkout/pay_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    expires_at=NOW + timedelta(minutes=23),
    version="open",
    cancel_address="https://conch.example",
    payable=True,
)
ORDER = replace(
    SALE,
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
    SALE,
    amount=12_500_000,
    description="",
    facts=(("Invoice", "2026-0117"), ("Due", "21 Dec 2026"), ("Terms", "Net 30")),
    payee=replace(CONCH, name="Nassau Marine Surveyors", brand_color="8b1e3f"),
)
PAID = replace(
    SALE,
    expires_at=None,
    completed_at=NOW,
    transaction_id="txn_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    success_address="https://conch.example/thanks?payment_id=pay_1",
    payer="•••• 0100",
)


COUNTER_SALE = replace(SALE, amount=1_800, description="Bar counter", expires_at=None)


@dataclass(frozen=True)
class PreviewTicket:
    id: str
    amount: int
    items: list[dict[str, object]] | None = None
    is_opened: bool = False
    currency: str = "BSD"
    created_at: datetime = NOW


TICKETS = (
    PreviewTicket("tkt_1", 1_800, [{"name": "Sky Juice", "quantity": 2}], is_opened=True),
    PreviewTicket("tkt_2", 64_250),
)
PRODUCTS: list[dict[str, object]] = [
    {"name": name, "price": price, "currency": "BSD"}
    for name, price in (
        ("Conch salad", 1_500),
        ("Cracked conch with peas and rice", 2_450),
        ("Fish fry", 1_950),
        ("Sky Juice", 900),
        ("Kalik", 600),
        ("Coconut water", 450),
        ("Coffee", 350),
        ("Guava duff", 800),
        ("Day chair", 1_000),
    )
]


@dataclass(frozen=True)
class Person:
    phone: str = "+12425550100"
    masked_phone: str = "+1 242 ••• 0100"
    has_pin: bool = True
    email: str = ""


@dataclass(frozen=True)
class PreviewRefund:
    amount: int
    succeeded_at: datetime | None = NOW
    reason: str = ""


@dataclass(frozen=True)
class Row:
    id: str
    merchant: Payee
    amount: int
    completed_at: datetime
    digits: str = "0100"
    currency: str = "BSD"
    zone: str = "America/Nassau"
    refund_words: str = ""
    tip: int = 0


ROWS = tuple(
    Row(f"pay_{n}", Payee(name), amount, NOW - timedelta(minutes=7 * n))
    for n, (name, amount) in enumerate(
        (("Conch & Co. Beach Bar", 1250), ("Blue Hole Outfitters", 184_999), ("Fish Fry", 950))
    )
)

CHOICES = [
    WayChoice("agent", "Cash", "Show a code and pay in cash. The money arrives at once."),
    WayChoice("simulated", "Simulated", "Test money. It arrives in a few seconds."),
    WayChoice("bank_transfer", "Bank transfer", "From your bank, in one or two business days."),
]
BANK_ROWS = [("To", "Payments Ltd"), ("Account", "000777"), ("Bank", "Bank of the Islands")]
ON_ITS_WAY = TopUpView(
    id="top_00VKq1wYb8TzR4mNcXe7PhLs2DuQ9a",
    way="bank_transfer",
    way_name="Bank transfer",
    state="Waiting",
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
TOP_UP = {"top_up": ON_ITS_WAY, "payment_view": SALE, "livemode": True, "customer": Person()}
BASE = {
    "payment_view": SALE,
    "balance": 410,
    "magic_phones": magic_phones,
    "outcomes": outcomes,
}
PROBLEM = BASE | {"payment_view": PAID, "form": ProblemForm(), "livemode": True}
WRITTEN = (
    ProblemEntry("You", "", "The tickets have not come.", NOW, is_own=True),
    ProblemEntry(CONCH.name, "", "They are on their way.", NOW, is_own=False),
)


def filled(form: type[f.Form], error: ApiError | None = None, **values: str) -> f.Form:
    """Return a form, empty or with an error at one of its values."""
    if error is None:
        return form()
    bound = form(values)
    bound.is_valid()
    bound.say(message_for(error, zone=SALE.zone, now=NOW) or "", at=field_of(error))
    return bound


def locked_words(until: datetime | None = None) -> str:
    """Return the message for a PIN that is locked until then, or for good."""
    return message_for(PinLocked(until), zone=SALE.zone, now=NOW) or ""


def ended(
    status: PaymentStatus,
    failure: Failure = DECLINED,
    *,
    ticket_id: str | None = None,
    by: str = "",
    **more: Any,
) -> tuple[str, dict[str, Any]]:
    """Return the screen of a payment that ended unpaid, and was replaced `by` another, if given."""
    payment = sample_payment(status)
    payment.error_code, payment.ticket_id = failure.code, ticket_id
    view = _translated_payment(replace(SALE, again_address="#" if ticket_id else ""))
    end = ending_of(payment, view, status=status)
    end = replaced(end, view, by=by) if by else end
    return "ended", {"payment_view": SALE, "end": end, "may_ask": True} | more


def proof(refunded: int = 0, *refunds: PreviewRefund, **more: Any) -> tuple[str, dict[str, Any]]:
    """Return the receipt screen of a paid payment, with any refunds."""
    payment = sample_payment(PaymentStatus.COMPLETED)
    payment.amount, payment.amount_refunded = ORDER.amount, refunded
    shown = replace(
        PAID, items=ORDER.items, amount=ORDER.amount, difference=4_500, amount_refunded=refunded
    )
    found = {"refunds": refunds, "last_refund": refunds[0] if refunded else None}
    common = {"state": receipt_state_of(payment), "form": f.EmailForm(), "livemode": True}
    return "receipt", BASE | {"payment_view": shown} | found | common | more


def proved(**more: Any) -> tuple[str, dict[str, Any]]:
    """Return the screen with the proof of a paid payment."""
    state = receipt_state_of(sample_payment(PaymentStatus.COMPLETED))
    return "proof", PROBLEM | {"state": state} | more


def stopped(error: ApiError, *, payment_address: str = "#") -> tuple[str, dict[str, Any]]:
    """Return the screen of an error; with a payment's address, with a link back to it."""
    end = stop_for(error, payment_address=payment_address)
    return "stopped", {"livemode": True, "end": end}


def in_language(context: dict[str, Any]) -> dict[str, Any]:
    """Return the context of a screen with its texts in the language of the page."""
    translated: dict[str, Any] = {
        name: _(context[name]) for name in ("title", "done") if name in context
    }
    if view := context.get("payment_view"):
        translated["payment_view"] = _translated_payment(view)
    if top_up := context.get("top_up"):
        translated["top_up"] = _translated_top_up(top_up)
    if "decimal_point" in context:
        translated |= signs("BSD")
    lists = LISTS.keys() & context.keys()
    translated |= {name: [LISTS[name](each) for each in context[name]] for name in lists}
    return context | translated


def _translated_pair(pair: tuple[str, str]) -> tuple[str, str]:
    return _(pair[0]), pair[1]


def _translated_choice(choice: WayChoice) -> WayChoice:
    return WayChoice(choice.way, _(choice.name), _(choice.about))


def _translated_row(row: Any) -> Any:
    if isinstance(row, ProblemEntry) and row.is_own:
        return replace(row, who=_(row.who))
    return replace(row, refund_words=_("Refunded")) if getattr(row, "refund_words", "") else row


def _translated_payment(view: PaymentView) -> PaymentView:
    now = utc_now()
    expires_at = view.expires_at and now + (view.expires_at - NOW)
    return replace(
        view,
        facts=tuple((_(name), value) for name, value in view.facts),
        expires_at=expires_at,
        until=last_moment(expires_at, view.zone, now),
        left=time_left(expires_at, now),
    )


def _translated_top_up(top_up: TopUpView) -> TopUpView:
    ended = top_up.ended and _(top_up.ended)
    return replace(top_up, way_name=_(top_up.way_name), state=_(top_up.state), ended=ended)


LISTS: dict[str, Callable[[Any], Any]] = {
    "top_ups": _translated_top_up,
    "choices": _translated_choice,
    "entries": _translated_row,
    "sales": _translated_row,
    "bank_rows": _translated_pair,
    "posters": _translated_pair,
}
