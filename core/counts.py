"""Totals of lists, kept by triggers instead of counted.

See CountEntry, PeriodCount and ListTotal.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db import connection, transaction
from django.db.models import BigIntegerField, QuerySet, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from core.models import CountEntry, ListTotal, PeriodCount
from core.pagination import Total
from core.prepared import Placeholder, PreparedValues
from core.whole_days import RANGE, WholeDays

KEY = ("owner", "list", "livemode", "status", "kind")
BATCH = 5_000


class NumberOf(Subquery):
    """The number of rows that a query finds, as a subquery of another one."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS found)"
    output_field = BigIntegerField()


class SumOf(Subquery):
    """The sum of the numbers that a query finds, as a subquery of another one."""

    template = "(SELECT COALESCE(SUM(found.number), 0) FROM (%(subquery)s) AS found)"
    output_field = BigIntegerField()


@dataclass(frozen=True)
class TotalParts:
    """The parts of a total: entries, the sums of whole days, and rows that have to be counted."""

    entries: QuerySet[CountEntry]
    periods: QuerySet[PeriodCount] | None = None
    parts: tuple[QuerySet[Any], ...] = ()

    def total(
        self, *, plus: QuerySet[Any] | None = None, minus: QuerySet[Any] | None = None
    ) -> QuerySet[Any, Any]:
        """Return a one-value query for the total, plus and minus the rows of these querysets.

        Those are rows listed under another status than is stored. Exact: one statement has one
        snapshot.
        """
        result: Any = Coalesce(Sum("change"), 0)
        if self.periods is not None:
            result += SumOf(self.periods.values("number"))
        for rows in (*self.parts, *([] if plus is None else [plus])):
            result += NumberOf(rows.order_by().values("pk"))
        if minus is not None:
            result -= NumberOf(minus.order_by().values("pk"))
        sums = self.entries.values_list(result, flat=True)
        sums.query.group_by = None  # one sum over all of them, 0 if there are none
        return sums


@dataclass(frozen=True, kw_only=True)
class CountedList:
    """A list whose rows are counted as they are inserted, change status, and are deleted.

    `owner` to `kind` and `condition` are SQL over the row `{row}`, compiled into triggers by
    migrations: changing one needs a new migration. `filters` maps a filter of the list to the
    column of an entry. With `by_day`, rows are also counted by their day of creation.
    `shown_otherwise` are the statuses under which rows may be listed while another is stored.
    """

    name: str
    table: str
    owner: str = "{row}.merchant_id"
    livemode: str = "{row}.livemode"
    status: str = "''"
    kind: str = "''"
    condition: str = "true"
    filters: Mapping[str, str] = field(default_factory=dict, hash=False)
    by_day: bool = False
    shown_otherwise: frozenset[str] = frozenset()

    def days_add_up(self, filters: Mapping[str, Any]) -> bool:
        """Return whether the counts of all days are those of the rows of a list so filtered."""
        is_stored = filters.get("status") not in self.shown_otherwise
        return self.by_day and is_stored and filters.keys() <= self.filters.keys()

    def total_parts(
        self,
        rows: QuerySet[Any],
        owner: str | None,
        filters: Mapping[str, Any],
        *,
        livemode: bool = False,
        now: datetime | Value,
    ) -> TotalParts | None:
        """Return what adds up to the total of a filtered list; None if its rows must be counted.

        `rows` are the owner's: between two dates, those of partial days are counted.
        """
        others = {name: value for name, value in filters.items() if name not in RANGE}
        if owner is None or not others.keys() <= self.filters.keys():
            return None
        key = self.key_for(owner, others, livemode)
        entries = CountEntry.objects.filter(**key)
        if len(others) == len(filters):
            return TotalParts(entries)
        if not self.by_day or not isinstance(now, datetime):  # a placeholder for any dates
            return None
        days = WholeDays.within(filters, now)
        if days is None:
            return None
        first, end = (f"{at:%Y-%m-%d}" for at in (days.first, days.end))
        return TotalParts(
            entries.filter(is_sum=False, day__gte=first, day__lt=end),
            PeriodCount.objects.filter(**key, period__in=days.periods()),
            tuple(rows.filter(**part) for part in days.parts_around(filters)),
        )

    def total_of(
        self,
        rows: QuerySet[Any],
        owner: str | None,
        filters: Mapping[str, Any],
        *,
        livemode: bool = False,
        now: datetime,
    ) -> Total | None:
        """Return a function that counts a list; None if its rows themselves must be counted."""
        if owner is not None and filters.keys() <= self.filters.keys():
            return partial(_of_all_days(self, tuple(filters), livemode), owner=owner, **filters)
        parts = self.total_parts(rows, owner, filters, livemode=livemode, now=now)
        return None if parts is None else parts.total().get

    def key_for(self, owner: str, filters: Mapping[str, Any], livemode: bool) -> dict[str, Any]:
        """Return the look-ups of the counts that add up to the list under these filters."""
        known = {self.filters[name]: value for name, value in filters.items()}
        return {"list": self.name, "owner": owner, "livemode": livemode, **known}

    def key_of(self, row: str) -> tuple[str, ...]:
        """Return the values of `KEY` as SQL over a row."""
        values = (self.owner, f"'{self.name}'", self.livemode, self.status, self.kind)
        return tuple(value.format(row=row) for value in values)

    def applies_to(self, row: str) -> str:
        """Return the SQL condition that a row belongs to the list."""
        return self.condition.format(row=row)


@cache
def _of_all_days(
    counted: CountedList, filters: tuple[str, ...], livemode: bool
) -> Callable[..., int]:
    key = counted.key_for(
        Placeholder("owner"), {name: Placeholder(name) for name in filters}, livemode
    )
    return PreparedValues(TotalParts(CountEntry.objects.filter(**key)).total()).number


def numbers_of_all(counted: CountedList) -> Counter[tuple[str, str, bool]]:
    """Return how many rows all owners together have, by status, kind and mode.

    Exact, by one statement that reads no owner's sums: the totals, and the entries not folded yet.
    What once was counted and is not any more is 0.
    """
    key = ("status", "kind", "livemode")
    kept = ListTotal.objects.filter(list=counted.name).values_list(*key, "number")
    new = CountEntry.objects.filter(list=counted.name, is_sum=False).values_list(*key)
    numbers: Counter[tuple[str, str, bool]] = Counter()
    for *values, number in kept.union(new.annotate(number=Sum("change")), all=True):
        numbers[tuple(values)] += int(number)
    return numbers


@transaction.atomic
def fold_changes() -> int:
    """Add up to `BATCH` new entries to the sums of their keys; return how many.

    A reader sees each entry either by itself or in the sum. May run twice at once.
    """
    waiting = unfolded_entries().select_for_update(skip_locked=True)
    rows = list(waiting.order_by("id").values_list("id", "change", *KEY)[:BATCH])
    sums: Counter[tuple[Any, ...]] = Counter()
    for _, change, *key in rows:
        sums[tuple(key)] += change
    with connection.cursor() as cursor:
        # In one fixed order, so that two concurrent runs cannot deadlock.
        cursor.executemany(_ADD, [(*key, change) for key, change in sorted(sums.items())])
    # They are found in the index of what is new; of many sums, a scan would look cheaper.
    CountEntry.objects.filter(pk__in=[row[0] for row in rows], is_sum=False).delete()
    return len(rows)


def unfolded_entries() -> QuerySet[CountEntry]:
    """Return the entries that are not in the sum of their key yet."""
    return CountEntry.objects.filter(is_sum=False)


def day_of(row: str) -> str:
    """Return the day in UTC on which a row was created, as SQL over the row."""
    if connection.vendor == "postgresql":
        return f"to_char({row}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
    return f"substr({row}.created_at, 1, 10)"


_KEY = ", ".join(KEY)
_ADD = f"""
    INSERT INTO core_countentry ({_KEY}, change, is_sum) VALUES (%s, %s, %s, %s, %s, %s, true)
    ON CONFLICT ({_KEY}) WHERE is_sum
    DO UPDATE SET change = core_countentry.change + excluded.change
"""  # noqa: S608  # our own names
