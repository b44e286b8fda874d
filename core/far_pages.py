"""Find where in a list a far page begins, from the counts of its days.

Skipping two million entries of an index takes 0.3 s. The counts say on which day the page begins,
so that newer days need not be skipped entry by entry.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.db.models.functions import Substr

from core.instants import EARLIEST
from core.models import CountEntry, PeriodCount
from core.pagination import count_some

FAR = 10_000  # fewer entries are skipped in less time than it takes to find the day


def skip_newer(
    rows: QuerySet[Any], key: Mapping[str, Any], offset: int, now: datetime, after: Any
) -> tuple[QuerySet[Any], int]:
    """Return the rows without most of those before an offset, and the offset that is left.

    `rows` are listed newest first, and begin after the row `after`; `key` selects the counts that
    add up to the whole list.
    """
    month = before = ""
    if after is not None:
        before = f"{after.created_at.astimezone(UTC):%Y-%m-%d}"
        same_day = count_some(rows.filter(created_at__gte=_beginning(before)), offset)
        if same_day > offset:
            return rows, offset
        month, offset = _around(before), offset - same_day
    day, offset = _day_at(offset, key, now, month, before)
    if not day:
        return rows.none(), 0
    return rows.filter(created_at__lt=_beginning(day) + timedelta(days=1)), offset


def _day_at(
    offset: int, key: Mapping[str, Any], now: datetime, within: str, before: str
) -> tuple[str, int]:
    """Return the day of the row at an offset, and its offset there; "" beyond the end.

    It is counted from the newest row `within` a year or month and `before` one of its parts, and
    goes on in what is older.
    """
    for name, number in _counts_within(within, key, now):
        if before and name >= before:
            continue
        if number > offset:
            return (name, offset) if len(name) == 10 else _day_at(offset, key, now, name, "")
        offset -= number
    return _day_at(offset, key, now, _around(within), within) if within else ("", 0)


def _around(period: str) -> str:
    """Return the month of a day, the year of a month, or "" for all years."""
    return period.rpartition("-")[0]


def _beginning(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T00:00:00+00:00")


def _counts_within(period: str, key: Mapping[str, Any], now: datetime) -> list[tuple[str, int]]:
    """Return the years there are, the months of a year or the days of a month, newest first.

    One statement reads them, so that what is added to its day meanwhile is there once.
    """
    names = _parts_of(period, now)
    kept = PeriodCount.objects.filter(**key, period__in=names)
    entries = CountEntry.objects.filter(**key, is_sum=False, day__startswith=period)
    entries = entries.annotate(period=Substr("day", 1, len(names[0])))
    numbers = kept.order_by().values_list("period").annotate(Sum("number"))
    found: Counter[str] = Counter()
    for name, number in numbers.union(
        entries.order_by().values_list("period").annotate(Sum("change")), all=True
    ):
        found[name] += number
    return sorted(found.items(), reverse=True)


def _parts_of(period: str, now: datetime) -> list[str]:
    if not period:
        # Up to next year, which may have begun while the page is read.
        return [str(year) for year in range(EARLIEST.year, now.year + 2)]
    return [f"{period}-{number:02}" for number in range(1, 13 if len(period) == 4 else 32)]
