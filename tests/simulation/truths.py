"""What is true after each step, whatever happened: by our own books, and by the bank's."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import QuerySet

from ledger.models import Account, UnsealedTransfer, exact_balance
from payments.models import Payment
from payouts.models import Payout
from refunds.models import Refund
from tests.ledger.funding import problems
from tests.simulation.shadow_books import BookedPayout

if TYPE_CHECKING:
    from tests.simulation.virtual_weeks import VirtualWeeks

# The office runs on business days, a colleague approves within a day, Easter has four days off.
LONGEST_SCHEDULED = timedelta(days=9)
LONGEST_IN_TRANSIT = timedelta(days=12)
LONGEST_PAYABLE = timedelta(days=6)
LONGEST_OPEN = timedelta(days=1)
OPEN_PAYMENTS = ("created", "pending", "requires_action")

_LOOKS: dict[str, QuerySet[Any, Any]] = {
    "accounts": Account.objects.annotate(exact=exact_balance()).values_list(
        "owner", "purpose", "currency", "exact"
    ),
    "payouts": Payout.objects.order_by("created_at", "pk").values_list(
        *("pk", "merchant_id", "currency", "amount", "status", "origin"),
        "order__end_to_end_id",
    ),
    "refunds": Refund.objects.values_list("pk", "status"),
}
_STATEMENTS: dict[str, tuple[str, tuple[Any, ...]]] = {}


def look(name: str) -> list[tuple[Any, ...]]:
    """Read by a statement that is compiled once: this runs after every step."""
    if name not in _STATEMENTS:
        _STATEMENTS[name] = _LOOKS[name].query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(*_STATEMENTS[name])
        return cursor.fetchall()


def check_money(weeks: "VirtualWeeks") -> None:
    """Each account holds what the books say, and all of them together nothing."""
    found = {
        (owner, purpose, currency): held for owner, purpose, currency, held in look("accounts")
    }
    books = weeks.books.money
    wrong = {
        spot: f"holds {found.get(spot, 0)}, should hold {books[spot]}"
        for spot in {*found, *books}
        if found.get(spot, 0) != books[spot]
    }
    assert not wrong, wrong
    assert sum(found.values()) == 0
    below = {spot for spot, held in found.items() if held < 0 and spot[1] != "funding"}
    assert not below, below


def check_all(weeks: "VirtualWeeks") -> None:
    """The ledger is proven, the bank has paid each payout once, and nothing is stuck."""
    check_ledger()
    check_bank(weeks)
    check_stuck(weeks)


def check_ledger() -> None:
    wrong = problems()
    assert not wrong, wrong


def check_bank(weeks: "VirtualWeeks") -> None:
    """Each order that the bank has executed is one payout of ours, of its amount and account."""
    ours = {payout.reference: payout for payout in weeks.books.payouts.values() if payout.reference}
    for order in weeks.bank.orders.values():
        payout = ours.get(order.reference)
        if order.status == "rejected" or (payout is None and (weeks.shut or weeks.lost)):
            continue
        assert payout, f"the bank was told of {order.reference}, which is no payout here"
        told = (order.amount, order.currency, order.account)
        assert told == (payout.amount, payout.currency, payout.account), f"{payout.id}: {told}"
        if order.status == "executed":
            assert payout.status in ("in_transit", "paid"), (
                f"the bank has paid {payout.id}, which is {payout.status} here"
            )


def check_stuck(weeks: "VirtualWeeks") -> None:
    """Nothing waits longer than its bound, unless a person has said so."""
    if weeks.shut or weeks.lost:
        return
    for payout in weeks.books.payouts.values():
        assert not _is_stuck(weeks, payout), f"{payout.id} is {payout.status} since {payout.since}"
    for (shop, currency), since in weeks.books.payable_since.items():
        assert weeks.now - since < LONGEST_PAYABLE, (
            f"{shop} is not paid out {currency} since {since}"
        )
    overdue = Payment.objects.filter(
        status__in=OPEN_PAYMENTS, expires_at__lt=weeks.now - LONGEST_OPEN
    )
    assert not overdue.exists(), "a payment is open after its end"
    oldest = UnsealedTransfer.objects.filter(transfer__created_at__lt=weeks.now - LONGEST_OPEN)
    assert not oldest.exists(), "a transfer waits for its seal"


def _is_stuck(weeks: "VirtualWeeks", payout: BookedPayout) -> bool:
    if weeks.books.shops[payout.shop].suspended:
        return False
    bounds = {"scheduled": LONGEST_SCHEDULED, "in_transit": LONGEST_IN_TRANSIT}
    bound = bounds.get(payout.status)
    return bound is not None and weeks.now - payout.since > bound
