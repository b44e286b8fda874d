"""A merchant's balances: available, pending, and in transit to the bank."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum, Value
from django.utils.module_loading import import_string

from core.prepared import Placeholder, PreparedValues
from ledger.models import Purpose
from ledger.services import exact_balances
from payouts.models import Payout
from payouts.statuses import OUTGOING, PayoutStatus

Reserve = Callable[[str, bool], QuerySet[Any, Any]]
HELD, RESERVED = "held", "reserved"  # kinds of sums, besides the statuses of outgoing payouts


@dataclass(frozen=True)
class Money:
    """An amount in cents, of one currency."""

    currency: str
    amount: int


@dataclass(frozen=True)
class MerchantBalances:
    """Per currency: what can be paid out, what is scheduled, and what is in transit.

    `reserved` is the rest of the merchant's balance, which cannot be paid out; `missing` what the
    reserves need beyond it, and what comes in goes to first.
    """

    merchant_id: str
    livemode: bool
    available: list[Money]
    pending: list[Money]
    in_transit: list[Money]
    reserved: list[Money]
    missing: list[Money]


def balances_of(*, merchant_id: str, livemode: bool) -> MerchantBalances:
    """Return the exact balances by currency, sorted; at least the default currency.

    All come from one SQL statement, so from one instant: a payout in progress counts in exactly
    one of them.
    """
    prepared = _sums(tuple(settings.PAYOUT_RESERVES), livemode=livemode)
    sums: Counter[tuple[str, str]] = Counter()
    for kind, currency, amount in prepared.rows(merchant_id=merchant_id):
        sums[kind, currency] += int(amount)
    held = {currency for kind, currency in sums if kind == HELD}
    currencies = sorted({settings.DEFAULT_CURRENCY, *held})
    free = {name: max(sums[HELD, name] - sums[RESERVED, name], 0) for name in currencies}
    return MerchantBalances(
        merchant_id=merchant_id,
        livemode=livemode,
        available=[Money(name, free[name]) for name in currencies],
        pending=[Money(name, sums[PayoutStatus.SCHEDULED, name]) for name in currencies],
        in_transit=[Money(name, sums[PayoutStatus.IN_TRANSIT, name]) for name in currencies],
        reserved=[Money(name, sums[HELD, name] - free[name]) for name in currencies],
        missing=[
            Money(name, max(sums[RESERVED, name] - sums[HELD, name], 0)) for name in currencies
        ],
    )


def reserved(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return the cents that must stay in a merchant's balance, such as for pending refunds."""
    return sum(
        int(amount)
        for path in settings.PAYOUT_RESERVES
        for name, amount in _reserve(path)(merchant_id, livemode)
        if name == currency
    )


def _reserve(path: str) -> Reserve:
    reserve: Reserve = import_string(path)
    return reserve


@cache
def _sums(reserves: tuple[str, ...], *, livemode: bool) -> PreparedValues:
    """Prepare the query for rows of kind, currency and cents that make up the balances."""
    merchant_id = Placeholder("merchant_id")
    accounts = exact_balances(owner=merchant_id, purpose=Purpose.MERCHANT, livemode=livemode)
    leaving = Payout.objects.filter(
        merchant_id=merchant_id, livemode=livemode, status__in=sorted(OUTGOING)
    )
    sums = leaving.order_by().values_list("status", "currency").annotate(total=Sum("amount"))
    kept = [
        _reserve(path)(merchant_id, livemode).values_list(Value(RESERVED), "currency", "total")
        for path in reserves
    ]
    held = accounts.annotate(kind=Value(HELD)).values_list("kind", "currency", "exact")
    return PreparedValues(held.union(sums, *kept, all=True))
