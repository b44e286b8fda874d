"""What ended in each ten minutes, counted once: the dashboard need not count a day anew."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from django.db import transaction
from django.db.models import Max, Min, Q, Sum

from backoffice.ending_counts import count_delivered, count_ended, currencies_ended
from backoffice.models import IntervalFigures

INTERVAL = timedelta(minutes=10)
# Longer than any transaction takes, and an attempt of a delivery: none ends in the interval later.
SETTLED_AFTER = timedelta(minutes=5)
# The dashboard compares with a week ago, from the start of a day on.
KEPT = timedelta(days=9)
COUNTED_AT_ONCE = 150
COUNTS = (
    "completed_count", "completed_amount", "failed_count", "expired_count", "canceled_count",
    "none_count", "pin_count", "passkey_count", "delivered_count",
)  # fmt: skip


@dataclass(frozen=True)
class CountedIntervals:
    """The sums of the counted intervals within a span, and the parts of it outside of these."""

    sums: dict[str, int]
    rest: tuple[tuple[datetime, datetime], ...]

    @classmethod
    def within(cls, start: datetime, end: datetime, *, livemode: bool, currency: str = "") -> Self:
        """Add up the intervals from `start` on that are over by `end`.

        Deliveries have no currency, and are among the sums of each.
        """
        rows = IntervalFigures.objects.filter(livemode=livemode, currency__in={"", currency})
        found = rows.filter(start__gte=start, start__lte=end - INTERVAL).aggregate(
            first=Min("start"),
            last=Max("start"),
            **{name: Sum(name) for name in COUNTS},
        )
        sums = {name: int(found[name] or 0) for name in COUNTS}
        if found["first"] is None:
            return cls(sums, ((start, end),))
        parts = (start, found["first"]), (found["last"] + INTERVAL, end)
        return cls(sums, tuple((since, until) for since, until in parts if since < until))


def count_intervals(*, now: datetime) -> int:
    """Count the intervals that are over and not counted yet, the oldest first; return how many.

    At most `COUNTED_AT_ONCE` of them: after an upgrade, there are nine days to count. Those that a
    clock that was ahead has counted too early are counted again in their time.
    """
    early = Q(start__gt=now - INTERVAL - SETTLED_AFTER)
    IntervalFigures.objects.filter(Q(start__lt=now - KEPT) | early).delete()
    last = IntervalFigures.objects.aggregate(last=Max("start"))["last"]
    start = _beginning(now - KEPT) + INTERVAL if last is None else last + INTERVAL
    currencies = {mode: currencies_ended(livemode=mode) for mode in (False, True)}
    counted = 0
    while start + INTERVAL + SETTLED_AFTER <= now and counted < COUNTED_AT_ONCE:
        _count(start, currencies)
        start, counted = start + INTERVAL, counted + 1
    return counted


def _beginning(instant: datetime) -> datetime:
    """Return the beginning of the interval of an instant."""
    seconds = INTERVAL.total_seconds()
    return datetime.fromtimestamp(instant.timestamp() // seconds * seconds, tz=UTC)


@transaction.atomic
def _count(start: datetime, currencies: dict[bool, list[str]]) -> None:
    rows, span = [], {"start": start, "end": start + INTERVAL}
    for livemode, codes in currencies.items():
        arrived = count_delivered(livemode=livemode, **span)
        rows.append(IntervalFigures(start=start, livemode=livemode, delivered_count=arrived))
        for code in codes:
            counts = count_ended(livemode=livemode, currency=code, **span)
            if any(counts.values()):
                kind: Any = {"start": start, "livemode": livemode, "currency": code}
                rows.append(IntervalFigures(**kind, **counts))
    # Another worker may count the same at this moment.
    IntervalFigures.objects.bulk_create(rows, ignore_conflicts=True)
