"""Metrics of refunds, collected when they are scraped."""

from django.db.models import Count, Min

from core.database_clock import database_now
from core.latest_gauge import LatestGauge
from refunds.models import Refund
from refunds.statuses import RefundStatus

pending = LatestGauge(
    "refunds_pending",
    "How many live refunds wait until their merchant's balance covers them.",
)
longest_pending = LatestGauge(
    "refunds_longest_pending_seconds",
    "How long the oldest of them has been waiting.",
)


def collect() -> None:
    """Set the gauges."""
    now = database_now()
    waiting = Refund.objects.filter(status=RefundStatus.PENDING, livemode=True)
    found = waiting.aggregate(count=Count("pk"), first=Min("created_at"))
    pending.set(found["count"])
    longest_pending.set(max(0, int((now - (found["first"] or now)).total_seconds())))
