"""Metrics of payments, collected when they are scraped."""

from django.db.models import Min, Sum
from prometheus_client import Gauge

from core.database_clock import database_now
from core.metrics import MOST_RECENT
from core.models import CountEntry
from payments.counts import PAYMENTS
from payments.models import Payment
from payments.statuses import PaymentStatus

payments = Gauge(
    "payments",
    "How many payments there are, by status, payment mode, and live or test.",
    ["status", "payment_mode", "livemode"],
    multiprocess_mode=MOST_RECENT,
)
longest_processing = Gauge(
    "payments_longest_processing_seconds",
    "For how long the first payment that is being processed has been so.",
    multiprocess_mode=MOST_RECENT,
)


def collect() -> None:
    """Set the gauges, from the kept counts and the few payments in `processing`."""
    counts = CountEntry.objects.filter(list=PAYMENTS.name)
    for entry in counts.values("status", "kind", "livemode").annotate(total=Sum("change")):
        mode = "live" if entry["livemode"] else "test"
        payments.labels(entry["status"], entry["kind"], mode).set(entry["total"])
    now, under_way = database_now(), Payment.objects.filter(status=PaymentStatus.PROCESSING)
    since = under_way.aggregate(first=Min("updated_at"))["first"] or now
    longest_processing.set(max(0, int((now - since).total_seconds())))
