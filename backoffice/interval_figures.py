"""What ended in a span of time, and in each ten minutes, which are counted once.

The dashboard need not count a day anew.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet, Sum, Value

from backoffice.models import IntervalFigures
from payments.models import Payment
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

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


# How a payment can end, and the instant that says so: once set, it never changes.
ENDINGS = {
    "completed": "completed_at",
    "failed": "failed_at",
    "expired": "expired_at",
    "canceled": "canceled_at",
}


def count_ended(*, livemode: bool, currency: str, start: datetime, end: datetime) -> dict[str, int]:
    """Count what ended from `start` on and before `end`, each outcome by its own index.

    Returns `…_count` of each, `completed_amount` in cents, and how many paid payments required
    which proof (`none_count`, `pin_count`, `passkey_count`).
    """
    rows = Payment.objects.filter(livemode=livemode, currency=currency)
    found = {
        name: rows.filter(**{f"{field}__gte": start, f"{field}__lt": end})
        for name, field in ENDINGS.items()
    }
    none, pin = settings.PIN_ABOVE, settings.PASSKEY_ABOVE
    paid = found.pop("completed").aggregate(
        completed_count=Count("pk"),
        completed_amount=Sum("amount"),
        none_count=Count("pk", filter=Q(amount__lte=none)),
        pin_count=Count("pk", filter=Q(amount__gt=none, amount__lte=pin)),
        passkey_count=Count("pk", filter=Q(amount__gt=pin)),
    )
    counts = {name: int(value or 0) for name, value in paid.items()}
    return counts | _counts(found)


def _counts(found: Mapping[str, QuerySet[Payment]]) -> dict[str, int]:
    """Count each of these in one statement, by the index of each; the keys end in `_count`.

    Nothing is grouped by a constant, so that there is a count of each, also of none.
    """
    first, *others = (
        rows.order_by()
        .annotate(outcome=Value(f"{name}_count"))
        .values("outcome")
        .annotate(count=Count("pk"))
        for name, rows in found.items()
    )
    return dict(first.union(*others, all=True).values_list("outcome", "count"))


def count_delivered(*, livemode: bool, start: datetime, end: datetime) -> int:
    """Count the deliveries that arrived from `start` on and before `end`."""
    ended = Delivery.objects.filter(ended_at__gte=start, ended_at__lt=end)
    return ended.filter(webhook__livemode=livemode, status=DeliveryStatus.DELIVERED).count()


def currencies_ended(*, livemode: bool) -> list[str]:
    """Return the currencies in which payments ended: by a look at an index for each."""
    return sorted({code for field in ENDINGS.values() for code in _currencies(livemode, field)})


def _currencies(livemode: bool, field: str) -> Iterator[str]:
    ended = Payment.objects.filter(livemode=livemode, **{f"{field}__isnull": False})
    codes = ended.order_by("currency").values_list("currency", flat=True)
    code = codes.first()
    while code is not None:
        yield code
        code = codes.filter(currency__gt=code).first()
