"""A merchant's balances: available, pending, and in transit to the bank."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from django.conf import settings
from django.db.models import Sum
from django.utils.module_loading import import_string

from core.prepared import Place, PreparedValues
from ledger.models import Purpose
from ledger.services import balances
from ledger.snapshot import snapshot
from payouts.models import Payout
from payouts.statuses import OUTGOING, PayoutStatus

Reserve = Callable[[str, str, bool], int]


@dataclass(frozen=True)
class Money:
    """An amount in cents, of one currency."""

    currency: str
    amount: int


@dataclass(frozen=True)
class MerchantBalances:
    """Per currency: what can be paid out, what is scheduled to leave, and what has left."""

    merchant_id: str
    livemode: bool
    available: list[Money]
    pending: list[Money]
    in_transit: list[Money]


@snapshot(limited=True)
def balances_of(*, merchant_id: str, livemode: bool) -> MerchantBalances:
    """Return the exact balances, each with every currency by name; at least the default one.

    All are of one instant: a payout in progress is counted in exactly one of them.
    """
    held = balances(owner=merchant_id, purpose=Purpose.MERCHANT, livemode=livemode)
    leaving = _outgoing(merchant_id, livemode)
    currencies = sorted({settings.DEFAULT_CURRENCY, *held})
    free = {name: held.get(name, 0) - reserved(merchant_id, name, livemode) for name in currencies}
    return MerchantBalances(
        merchant_id=merchant_id,
        livemode=livemode,
        available=[Money(name, max(free[name], 0)) for name in currencies],
        pending=[Money(name, leaving[name, PayoutStatus.SCHEDULED]) for name in currencies],
        in_transit=[Money(name, leaving[name, PayoutStatus.IN_TRANSIT]) for name in currencies],
    )


def reserved(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return what must stay in a merchant's balance, such as for pending refunds, in cents."""
    reserves: list[Reserve] = [import_string(path) for path in settings.PAYOUT_RESERVES]
    return sum(reserve(merchant_id, currency, livemode) for reserve in reserves)


def _outgoing(merchant_id: str, livemode: bool) -> Counter[tuple[str, str]]:
    sums = _sums_leaving(livemode=livemode).rows(merchant_id=merchant_id)
    return Counter({(currency, status): total for currency, status, total in sums})


@cache
def _sums_leaving(*, livemode: bool) -> PreparedValues:
    leaving = Payout.objects.filter(
        merchant_id=Place("merchant_id"), livemode=livemode, status__in=sorted(OUTGOING)
    )
    sums = leaving.order_by().values_list("currency", "status").annotate(total=Sum("amount"))
    return PreparedValues(sums)
