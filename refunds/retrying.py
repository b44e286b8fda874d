"""Try the pending refunds again, those that have waited longest first."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import F, Q

from core.sweeping import sweep
from ledger.models import Purpose
from ledger.services import balances
from refunds.failures import GIVEN_UP_AFTER
from refunds.models import Refund
from refunds.services import retry_refund
from refunds.statuses import RefundStatus

BATCH = 100


def retry_pending(*, now: datetime, limit: int = BATCH) -> int:
    """Retry pending refunds; return how many no longer are.

    Of each merchant's balance up to `limit` are tried, so that nobody's refunds wait for others'.
    """
    waiting = Refund.objects.pending().order_by("merchant_id", "livemode", "currency")
    owners = waiting.values_list("merchant_id", "livemode", "currency").distinct()
    worth_trying = (
        refund_id
        for merchant_id, livemode, currency in list(owners)
        for refund_id in _worth_trying(merchant_id, livemode, currency, now, limit)
    )

    def retry(refund_id: str) -> bool:
        return retry_refund(refund_id=refund_id, now=now).status != RefundStatus.PENDING

    return sweep("retry refunds", retry, worth_trying)


def _worth_trying(
    merchant_id: str, livemode: bool, currency: str, now: datetime, limit: int
) -> Iterator[str]:
    """Yield the refunds that the balance may cover by now, with their fee, and those to fail."""
    held = balances(owner=merchant_id, purpose=Purpose.MERCHANT, livemode=livemode)
    may_be_covered = Q(amount__lte=held.get(currency, 0) + F("payment__fee"))
    too_old = Q(created_at__lte=now - GIVEN_UP_AFTER)
    pending = Refund.objects.pending().filter(
        may_be_covered | too_old, merchant_id=merchant_id, livemode=livemode, currency=currency
    )
    yield from pending.order_by("created_at", "pk").values_list("pk", flat=True)[:limit]
