"""Metrics of the bank account that payouts leave from, collected when they are scraped."""

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
unmatched = LatestGauge(
    "bank_entries_unmatched",
    "How much of what the bank reported waits for a person.",
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
    late = Payout.objects.filter(livemode=True).overdue(database_now())
    for status in OUTGOING:
        overdue.labels(status.value).set(late.filter(status=status).count())
    for position in positions(livemode=True):
        difference.labels(position.currency).set(position.difference)
        missing.labels(position.currency).set(len(position.missing))
    unmatched.set(BankEntry.objects.unmatched().filter(livemode=True).count())
