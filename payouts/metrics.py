"""Metrics of the bank account that payouts leave from, collected when they are scraped."""

from datetime import datetime

from django.db.models import Count, Min

from core.database_clock import database_now
from core.latest_gauge import LatestGauge
from payouts.bank.position import positions
from payouts.models import BankEntry, Payout
from payouts.statuses import OUTGOING

difference = LatestGauge(
    "bank_difference_cents",
    "What the ledger believes has left the bank, less what the bank's statements have booked.",
    ["currency"],
)
longest_difference = LatestGauge(
    "bank_longest_difference_seconds",
    "How long the oldest part of that difference has been open; 0 if there is none.",
    ["currency"],
)
unmatched = LatestGauge(
    "bank_entries_unmatched",
    "How much of what the bank reported waits for a person.",
)
longest_unmatched = LatestGauge(
    "bank_entries_longest_unmatched_seconds",
    "How long the oldest of them has been waiting.",
)
missing = LatestGauge(
    "bank_statements_missing",
    "How many bank statements do not open with the closing balance of the previous one.",
    ["currency"],
)
overdue = LatestGauge(
    "payouts_overdue",
    "How many payouts are overdue: not arrived on their day, or not sent although they may be.",
    ["status"],
)


def collect() -> None:
    """Set the gauges, for live money."""
    now = database_now()
    late = Payout.objects.filter(livemode=True).overdue(now)
    for status in OUTGOING:
        overdue.labels(status.value).set(late.filter(status=status).count())
    for position in positions(livemode=True):
        difference.labels(position.currency).set(position.difference)
        longest_difference.labels(position.currency).set(_seconds_since(position.oldest, now))
        missing.labels(position.currency).set(len(position.missing))
    waiting = BankEntry.objects.unmatched().filter(livemode=True)
    found = waiting.aggregate(count=Count("pk"), first=Min("created_at"))
    unmatched.set(found["count"])
    longest_unmatched.set(_seconds_since(found["first"], now))


def _seconds_since(at: datetime | None, now: datetime) -> int:
    return max(0, int((now - at).total_seconds())) if at else 0
