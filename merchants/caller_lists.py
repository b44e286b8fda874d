"""Lists of the API whose first page is prepared: one statement per combination of filters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet, Subquery

from core.counts import CountedList
from core.far_pages import FAR, skip_newer
from core.pagination import MOST_COUNTED, Total, count_some, in_order, newest_of, older_than
from core.prepared import (
    Prepared,
    Shape,
    can_be_prepared,
    instant_placeholder,
    placeholders_of,
    planned_by_values,
    shape_of,
)
from core.queries import CHANGED, COMMON_WORDS, WORDS, Lookups
from core.search import rarest_of
from core.whole_days import RANGE
from merchants.scoping import CallerKind, Scope

# Filters allow more combinations than callers use.
KEPT_STATEMENTS = 256
TOTAL = "rows_in_all"
TYPES = "type__in"
# Of the newest rows, so many are looked at for a common word before the index of words is asked.
COMMON_AMONG = 1_000
# Of so many with one word of several, the others are soon found by reading the rows.
FEW_ROWS = 100
# So many rows with a word are sorted in 0.1 s or so. Of more, the newest are soon found in order.
COMMON_ROWS = 100_000
# Under these filters a total is exact, whatever it takes; under others, up to a number of rows.
EXACT = frozenset({"status", "payment_mode", "type", TYPES, *RANGE})

Select = Callable[[Scope, Lookups, Any], QuerySet[Any]]
# Returns the query for the total; None if the rows themselves must be counted.
TotalOf = Callable[[Scope, Lookups, Any], QuerySet[Any, Any] | None]


@dataclass(frozen=True)
class CallerList:
    """A caller's rows that match the look-ups, as `select` finds them at an instant.

    The total is read along with the rows of the first page: one statement, of one moment.
    """

    select: Select
    caller: Scope
    lookups: Lookups
    now: datetime
    total_of: TotalOf | None = None
    counted: CountedList | None = None

    def queryset(self) -> QuerySet[Any]:
        return self.select(self.caller, self.lookups, self.now)

    def parts(self) -> list[QuerySet[Any]]:
        return [part.queryset() for part in self._by_type()]

    def _by_type(self) -> "list[CallerList]":
        """Split a list of several types: each type has an index in the order of the list.

        Asked for all at once, PostgreSQL may read through everything that is of other types.
        """
        if TYPES not in self.lookups:
            return [self]
        others = {name: value for name, value in self.lookups.items() if name != TYPES}
        return [replace(self, lookups=others | {"type": each}) for each in self.lookups[TYPES]]

    def far_page(self, offset: int, after: Any) -> tuple[QuerySet[Any], int]:
        """Return the rows that follow `after`, if given, and an offset among them.

        Most that come before a far one are left out.
        """
        rows, caller, counted = self.queryset(), self.caller, self.counted
        if after is not None:
            rows = rows.filter(older_than(after))
        if offset < FAR or counted is None or not counted.days_add_up(self.lookups):
            return rows, offset
        if caller.sees_every_merchant or caller.merchant_id is None:
            return rows, offset
        key = counted.key_for(caller.merchant_id, self.lookups, caller.livemode)
        return skip_newer(rows, key, offset, self.now, after)

    def total(self) -> int:
        """Return how many rows there are; under filters beyond `EXACT`, as far as counted."""
        total = _total_of(self.total_of, self.caller, self.lookups, self.now)
        with planned_by_values():
            if total is not None:
                return int(total.get())
            if self.lookups.keys() <= EXACT:
                return self.queryset().count()
            return self._count_some()

    def _count_some(self) -> int:
        rows = self.queryset()
        if CHANGED in self.lookups:
            # They are among the newest; PostgreSQL expects some among the oldest, too.
            rows = _latest_changes(rows)
        return count_some(rows, MOST_COUNTED)

    def first_page(self, limit: int) -> tuple[list[Any], Total]:
        """Return the newest rows, by a prepared statement if the look-ups allow it."""
        if TYPES in self.lookups:
            parts = (part.first_page(limit)[0] for part in self._by_type())
            return newest_of(parts, limit), self.total
        if not can_be_prepared(self.lookups):
            with planned_by_values():
                return self._first_page_planned(limit)
        kind, shape = CallerKind.of(self.caller), shape_of(self.lookups)
        statement = _prepared(self.select, self.total_of, kind, shape, limit)
        given = {"merchant_id": self.caller.merchant_id, "now": self.now}
        rows = statement.rows(**given, **self.lookups)
        return rows, lambda: getattr(rows[0], TOTAL) if hasattr(rows[0], TOTAL) else self.total()

    def _first_page_planned(self, limit: int) -> tuple[list[Any], Total]:
        if WORDS not in self.lookups:
            return list(in_order(self.queryset())[:limit]), self.total
        listed = self._by_rarest_word()
        total = listed.total()
        if not total:
            return [], lambda: 0
        if total <= MOST_COUNTED:
            return list(in_order(listed.queryset())[:limit]), lambda: total
        return self._newest_of_common(limit), lambda: total

    def _by_rarest_word(self) -> "CallerList":
        """Look for one of several words, if few rows have it, and for the others among these.

        The index would gather all that have "ord" to find the one that has "1042", too. SQLite
        reads all rows for either.
        """
        words = self.lookups[WORDS]
        if len(words) == 1 or connection.vendor == "sqlite":
            return self
        rarest = replace(self, lookups=self.lookups | {WORDS: (rarest_of(words),)})
        if count_some(rarest.queryset(), FEW_ROWS) > FEW_ROWS:
            return self
        return replace(self, lookups=rarest.lookups | {COMMON_WORDS: words})

    def _newest_of_common(self, limit: int) -> list[Any]:
        """Return the newest rows with a common word: those of the index would have to be sorted."""
        lookups = {COMMON_WORDS if key == WORDS else key: it for key, it in self.lookups.items()}
        in_turn = in_order(self.select(self.caller, lookups, self.now))
        newest = in_order(self.select(self.caller, {}, self.now))
        oldest = newest.values_list("created_at", flat=True)[COMMON_AMONG - 1 : COMMON_AMONG]
        if at := oldest.first():
            found = list(in_turn.filter(created_at__gte=at)[:limit])
            if len(found) == limit:
                return found
        is_very_common = count_some(self.queryset(), COMMON_ROWS) > COMMON_ROWS
        return list((in_turn if is_very_common else in_order(self.queryset()))[:limit])


@lru_cache(maxsize=KEPT_STATEMENTS)
def _prepared(
    select: Select, total_of: TotalOf | None, caller: CallerKind, shape: Shape, limit: int
) -> Prepared[Any]:
    """Return the statement of a first page with its limit, or a cached plan would read all rows."""
    lookups, now = placeholders_of(shape), instant_placeholder("now")
    rows = in_order(select(caller, lookups, now))
    total = _total_of(total_of, caller, lookups, now)
    if total is not None:
        rows = rows.annotate(**{TOTAL: Subquery(total)})
    return Prepared(rows[:limit])


def _latest_changes(rows: QuerySet[Any]) -> QuerySet[Any, Any]:
    """Order rows that are only counted: by their change if an index has that, without the rows."""
    if any("updated_at" in index.fields for index in rows.model._meta.indexes):
        return rows.order_by("-updated_at").values("updated_at")
    return in_order(rows)


def _total_of(
    total_of: TotalOf | None, caller: Scope, lookups: Lookups, now: Any
) -> QuerySet[Any, Any] | None:
    """Return the query for the total; None if no counts are kept for such a caller."""
    if total_of is None or caller.sees_every_merchant:
        return None
    return total_of(caller, lookups, now)
