"""Lists: `limit` and `offset`, or `starting_after`, whose cost does not grow with depth."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from core.errors import InvalidRequest
from core.prepared import planned_by_values

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1
# A total that is not kept is counted as far as one more than this.
MOST_COUNTED = 10_000

Total = Callable[[], int]


class Listed(Protocol):
    """A list that knows its total, and reads its first page without a queryset."""

    def queryset(self) -> QuerySet[Any]: ...

    def parts(self) -> Sequence[QuerySet[Any]]: ...

    def far_page(self, offset: int, after: Any) -> tuple[QuerySet[Any], int]: ...

    def first_page(self, limit: int) -> tuple[list[Any], Total]: ...

    def total(self) -> int: ...


@dataclass(frozen=True)
class PageQuery:
    """The part of a list that the caller asks for."""

    limit: int = DEFAULT_LIMIT
    offset: int = 0
    starting_after: str | None = None

    @classmethod
    def parse(cls, query: Mapping[str, str], *, most: int = MAX_LIMIT) -> "PageQuery":
        """Parse the query string. Raises InvalidRequest; a limit above `most` is capped at that."""
        limit = whole_number(query, "limit", default=DEFAULT_LIMIT, lowest=1)
        offset = whole_number(query, "offset", default=0, lowest=0)
        if offset > MAX_OFFSET:
            raise InvalidRequest(f"offset: must be at most {MAX_OFFSET}")
        return cls(min(limit, most), offset, query.get("starting_after"))


@dataclass(frozen=True)
class Page:
    """One page of a list, newest first; how many there are in all, and whether more follow."""

    items: list[Any]
    total: int
    limit: int
    offset: int
    has_more: bool


def in_order(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Order a list by creation and id, newest first."""
    return queryset.order_by("-created_at", "-pk")


def newest_of(parts: Iterable[Iterable[Any]], limit: int) -> list[Any]:
    """Merge the newest rows of each part of a list into those of the list."""
    found = sorted(chain.from_iterable(parts), key=lambda row: (row.created_at, row.pk))
    return found[: -limit - 1 : -1]


def count_some(rows: QuerySet[Any, Any], most: int = MOST_COUNTED) -> int:
    """Count the rows, but no further than one more than `most`: then there are more."""
    return rows[: most + 1].count()


def page_of(listed: QuerySet[Any] | Listed, query: PageQuery, total: Total | None = None) -> Page:
    """Return the page asked for, ordered by creation and id, newest first.

    `total` counts all rows, in place of the list itself. One row more than the limit is read, to
    know whether more follow. Raises InvalidRequest if `starting_after` is not in this list.
    """
    if isinstance(listed, QuerySet):
        with planned_by_values():
            rows = listed
            if query.starting_after is not None:
                rows = rows.filter(older_than(_found(rows, query.starting_after)))
            return _page_at(rows, query.offset, query, total or listed.count)
    if query.starting_after is None and not query.offset:
        items, beside = listed.first_page(query.limit + 1)
        return page_from(items, query, total or beside)
    with planned_by_values():
        after = None
        if query.starting_after is not None:
            after = _found(listed.queryset(), query.starting_after)
            if not query.offset:
                first, older = query.limit + 1, older_than(after)
                parts = (in_order(part.filter(older))[:first] for part in listed.parts())
                return page_from(newest_of(parts, first), query, total or listed.total)
        rows, offset = listed.far_page(query.offset, after)
        return _page_at(rows, offset, query, total or listed.total)


def _page_at(queryset: QuerySet[Any], offset: int, query: PageQuery, total: Total) -> Page:
    rows = in_order(queryset)
    if offset:
        # What is left out is passed over in an index, without a look at its rows.
        keys = rows.values("pk")[offset : offset + query.limit + 1]
        rows = in_order(queryset).filter(pk__in=keys)
    return page_from(list(rows[: query.limit + 1]), query, total)


def page_from(found: list[Any], query: PageQuery, total: Total) -> Page:
    """Make a page of the rows found, which are one more than the limit if others follow."""
    has_more = len(found) > query.limit
    items = found[: query.limit]
    seen = query.offset + len(items)
    if has_more:
        # Never below what is known to exist: callers page until they have seen the total.
        count = max(total(), seen + 1)
    elif query.starting_after is None and (items or not query.offset):
        count = seen  # the end of the list
    else:
        count = total()
    return Page(items, count, query.limit, query.offset, has_more)


def _found(queryset: QuerySet[Any], pk: str) -> Any:
    anchor = queryset.order_by().filter(pk=pk).first()
    if anchor is None:
        raise InvalidRequest("starting_after: must be the id of an object in this list")
    return anchor


def older_than(row: Any) -> Q:
    """Return the look-up of what follows a row in a list."""
    created_at = row.created_at
    return Q(created_at__lte=created_at) & (Q(created_at__lt=created_at) | Q(pk__lt=row.pk))


def whole_number(query: Mapping[str, str], name: str, *, default: int, lowest: int) -> int:
    """Read a parameter that counts something. Raises InvalidRequest."""
    text = query.get(name)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,100}", text) or int(text) < lowest:
        raise InvalidRequest(f"{name}: must be a whole number from {lowest}")
    return int(text)
