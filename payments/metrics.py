"""Metrics of payments, collected when they are scraped."""

from django.db.models import Min

from core.counts import numbers_of_all
from core.database_clock import database_now
from core.latest_gauge import LatestGauge
from payments.counts import PAYMENTS
from payments.models import Payment
from payments.statuses import PaymentStatus

payments = LatestGauge(
    "payments",
    "How many payments there are, by status, payment mode, and live or test.",
    ["status", "payment_mode", "livemode"],
)
longest_processing = LatestGauge(
    "payments_longest_processing_seconds",
    "For how long the first payment that is being processed has been so.",
)


def collect() -> None:
    """Set the gauges, from the kept counts and the few payments in `processing`."""
    for (status, payment_mode, livemode), number in numbers_of_all(PAYMENTS).items():
        payments.labels(status, payment_mode, "live" if livemode else "test").set(number)
    now, under_way = database_now(), Payment.objects.filter(status=PaymentStatus.PROCESSING)
    since = under_way.aggregate(first=Min("updated_at"))["first"] or now
    longest_processing.set(max(0, int((now - since).total_seconds())))
