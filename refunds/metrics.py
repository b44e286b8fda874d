"""Metrics of refunds, collected when they are scraped."""

from django.db.models import Count, Min
from prometheus_client import Gauge

from core.database_clock import database_now
from core.metrics import MOST_RECENT
from refunds.models import Refund
from refunds.statuses import RefundStatus

pending = Gauge(
    "refunds_pending",
    "How many live refunds wait until their merchant's balance covers them.",
    multiprocess_mode=MOST_RECENT,
)
longest_pending = Gauge(
    "refunds_longest_pending_seconds",
    "How long the oldest of them has been waiting.",
    multiprocess_mode=MOST_RECENT,
)


def collect() -> None:
    """Set the gauges."""
    now = database_now()
    waiting = Refund.objects.filter(status=RefundStatus.PENDING, livemode=True)
    found = waiting.aggregate(count=Count("pk"), first=Min("created_at"))
    pending.set(found["count"])
    longest_pending.set(max(0, int((now - (found["first"] or now)).total_seconds())))
