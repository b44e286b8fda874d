"""How many rows a list has, kept by triggers instead of counted: see CountEntry."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from django.db import connection, transaction
from django.db.models import BigIntegerField, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from core.models import CountEntry
from core.pagination import Total
from core.prepared import Place, PreparedValues

KEY = ("owner", "list", "livemode", "status", "kind")
BATCH = 5_000


@dataclass(frozen=True, kw_only=True)
class CountedList:
    """A list whose rows are counted as they come, change their status, and go.

    `owner` to `kind` and `condition` are SQL over the row `{row}`; triggers were made from them, so
    that a change of one needs a migration. `filters` says which column of an entry stands for
    which filter of the list.
    """

    name: str
    table: str
    owner: str = "{row}.merchant_id"
    livemode: str = "{row}.livemode"
    status: str = "''"
    kind: str = "''"
    condition: str = "true"
    filters: Mapping[str, str] = field(default_factory=dict, hash=False)

    def knows(self, owner: str | None, filters: Mapping[str, Any]) -> bool:
        """Return whether there are entries that add up to a list so filtered."""
        return owner is not None and filters.keys() <= self.filters.keys()

    def entries(
        self, owner: str | None, filters: Mapping[str, Any], *, livemode: bool = False
    ) -> QuerySet[CountEntry]:
        """Return the entries that add up to a list that they know."""
        known = {self.filters[name]: value for name, value in filters.items()}
        return CountEntry.objects.filter(list=self.name, owner=owner, livemode=livemode, **known)

    def total_of(
        self, owner: str | None, filters: Mapping[str, Any], *, livemode: bool = False
    ) -> Total | None:
        """Return what says how many rows a list has; None where the rows must."""
        if not self.knows(owner, filters):
            return None
        return partial(_kept(self, tuple(filters), livemode).number, owner=owner, **filters)

    def key_of(self, row: str) -> tuple[str, ...]:
        """Return the values of `KEY` as SQL over a row."""
        values = (self.owner, f"'{self.name}'", self.livemode, self.status, self.kind)
        return tuple(value.format(row=row) for value in values)

    def applies_to(self, row: str) -> str:
        """Return the condition that a row is in the list."""
        return self.condition.format(row=row)


class NumberOf(Subquery):
    """How many rows a query finds, inside another one."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS found)"
    output_field = BigIntegerField()


def total_by(
    entries: QuerySet[CountEntry],
    *,
    plus: QuerySet[Any] | None = None,
    minus: QuerySet[Any] | None = None,
) -> QuerySet[Any, Any]:
    """Add the entries up, and rows that are counted elsewhere, in one statement: of one number.

    So it is exact: one statement sees what is committed at one moment.
    """
    result: Any = Coalesce(Sum("change"), 0)
    if plus is not None:
        result += NumberOf(plus.order_by().values("pk"))
    if minus is not None:
        result -= NumberOf(minus.order_by().values("pk"))
    sums = entries.values_list(result, flat=True)
    sums.query.group_by = None  # one sum of all of them, and 0 where there are none
    return sums


@cache
def _kept(counted: CountedList, filters: tuple[str, ...], livemode: bool) -> PreparedValues:
    places = {name: Place(name) for name in filters}
    return PreparedValues(total_by(counted.entries(Place("owner"), places, livemode=livemode)))


@transaction.atomic
def fold_changes() -> int:
    """Add up to `BATCH` new entries to the sums of their keys; return how many.

    A reader sees an entry on one side of it or the other. May run twice at once.
    """
    waiting = CountEntry.objects.filter(is_sum=False).select_for_update(skip_locked=True)
    rows = list(waiting.order_by("id").values_list("id", "change", *KEY)[:BATCH])
    sums: Counter[tuple[Any, ...]] = Counter()
    for _, change, *key in rows:
        sums[tuple(key)] += change
    with connection.cursor() as cursor:
        # In one order for all, so that two who are at it never wait for each other.
        cursor.executemany(_ADD, [(*key, change) for key, change in sorted(sums.items())])
    CountEntry.objects.filter(pk__in=[row[0] for row in rows]).delete()
    return len(rows)


def wrong_counts(counted: CountedList) -> Iterator[str]:
    """Yield a sentence for each key whose entries do not add up to the rows there are."""
    with connection.cursor() as cursor:
        cursor.execute(_differences(counted))
        for *key, difference in cursor.fetchall():
            yield f"The count of {key} is wrong: {difference:+} would put it right."


def count_anew(counted: CountedList) -> int:
    """Correct every wrong count of a list, while others write; return how many were wrong.

    One statement sees rows and entries at one moment, and adds an entry for what differs.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO core_countentry ({_KEY}, change, is_sum)"  # noqa: S608  # our own names
            f" SELECT {_KEY}, difference, false FROM ({_differences(counted)}) AS wrong"
        )
        return int(cursor.rowcount)


_KEY = ", ".join(KEY)
_ADD = f"""
    INSERT INTO core_countentry ({_KEY}, change, is_sum) VALUES (%s, %s, %s, %s, %s, %s, true)
    ON CONFLICT ({_KEY}) WHERE is_sum
    DO UPDATE SET change = core_countentry.change + excluded.change
"""  # noqa: S608  # our own names


def _differences(counted: CountedList) -> str:
    pairs = zip(counted.key_of("listed"), KEY, strict=True)
    values = ", ".join(f"{value} AS {name}" for value, name in pairs)
    return f"""
        SELECT {_KEY}, SUM(number) AS difference FROM (
            SELECT {values}, COUNT(*) AS number FROM {counted.table} AS listed
            WHERE {counted.applies_to("listed")} GROUP BY 1, 2, 3, 4, 5
            UNION ALL
            SELECT {_KEY}, -change FROM core_countentry WHERE list = '{counted.name}'
        ) AS counted GROUP BY {_KEY} HAVING SUM(number) <> 0
    """  # noqa: S608  # no part of it comes from outside
