"""Retry pending refunds: live ones first, those of a merchant oldest first."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import F, Q

from core.clock import clock_from, not_before
from core.sweeping import sweep
from ledger.models import Purpose
from ledger.services import balances
from refunds.failures import GIVE_UP_AFTER
from refunds.models import Refund
from refunds.services import retry_refund
from refunds.statuses import RefundStatus

BATCH = 100


def retry_pending(*, now: datetime) -> int:
    """Retry pending refunds; return how many are no longer pending.

    At most `BATCH` per merchant's balance, so that no merchant's refunds hold up another's.
    """
    waiting = Refund.objects.pending().order_by("-livemode", "merchant_id", "currency")
    owners = waiting.values_list("merchant_id", "livemode", "currency").distinct()
    retryable = (
        refund
        for merchant_id, livemode, currency in list(owners)
        for refund in _retryable(merchant_id, livemode, currency, now)
    )

    clock = clock_from(now)

    def retry(refund: tuple[str, datetime]) -> bool:
        refund_id, created_at = refund
        at = not_before(created_at, clock())
        return retry_refund(refund_id=refund_id, now=at).status != RefundStatus.PENDING

    return sweep("retry refunds", retry, retryable)


def _retryable(
    merchant_id: str, livemode: bool, currency: str, now: datetime
) -> Iterator[tuple[str, datetime]]:
    """Yield the refunds that the balance may now cover, fee included, and those to fail.

    Each is its id, and when it was requested.
    """
    held = balances(owner=merchant_id, purpose=Purpose.MERCHANT, livemode=livemode)
    may_be_covered = Q(amount__lte=held.get(currency, 0) + F("payment__fee"))
    too_old = Q(created_at__lte=now - GIVE_UP_AFTER)
    pending = Refund.objects.pending().filter(
        may_be_covered | too_old, merchant_id=merchant_id, livemode=livemode, currency=currency
    )
    yield from pending.order_by("created_at", "pk").values_list("pk", "created_at")[:BATCH]
