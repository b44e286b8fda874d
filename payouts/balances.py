"""What a merchant has: in its balance, set aside for the bank, and on its way there."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Sum
from django.utils.module_loading import import_string

from ledger.models import Purpose
from ledger.services import balances
from payouts.models import Payout
from payouts.statuses import PayoutStatus

Reserve = Callable[[str, str, bool], int]


@dataclass(frozen=True)
class CurrencyBalance:
    """One currency, in cents. `pending` is scheduled to leave, `in_transit` has left."""

    currency: str
    available: int
    pending: int
    in_transit: int


def balance_of_merchant(*, merchant_id: str, livemode: bool) -> list[CurrencyBalance]:
    """Return the exact balance of each currency, by name; at least of the default one."""
    held = balances(owner=merchant_id, purpose=Purpose.MERCHANT, livemode=livemode)
    on_the_way = _on_the_way(merchant_id, livemode)
    currencies = {settings.DEFAULT_CURRENCY, *held}
    return [
        CurrencyBalance(
            currency=currency,
            available=max(held.get(currency, 0) - reserved(merchant_id, currency, livemode), 0),
            pending=on_the_way[currency, PayoutStatus.SCHEDULED],
            in_transit=on_the_way[currency, PayoutStatus.IN_TRANSIT],
        )
        for currency in sorted(currencies)
    ]


def reserved(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return what must stay in a merchant's balance, such as for refunds that wait, in cents."""
    reserves: list[Reserve] = [import_string(path) for path in settings.PAYOUT_RESERVES]
    return sum(reserve(merchant_id, currency, livemode) for reserve in reserves)


def _on_the_way(merchant_id: str, livemode: bool) -> Counter[tuple[str, str]]:
    moving = Payout.objects.filter(
        merchant_id=merchant_id,
        livemode=livemode,
        status__in=(PayoutStatus.SCHEDULED, PayoutStatus.IN_TRANSIT),
    )
    sums: Iterable[tuple[str, str, int]] = (
        moving.order_by().values_list("currency", "status").annotate(total=Sum("amount"))
    )
    return Counter({(currency, status): total for currency, status, total in sums})
