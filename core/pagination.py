"""Lists: `limit` and `offset`, or `starting_after`, whose cost does not grow with depth."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import Model, Q, QuerySet

from core.errors import InvalidRequest

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_OFFSET = 2**31 - 1

Total = Callable[[], int]


class Listed(Protocol):
    """A list whose first page is read without a queryset."""

    def queryset(self) -> QuerySet[Any]: ...

    def first_page(self, limit: int) -> list[Any]: ...


@dataclass(frozen=True)
class PageQuery:
    """The part of a list that the caller asks for."""

    limit: int = DEFAULT_LIMIT
    offset: int = 0
    starting_after: str | None = None

    @classmethod
    def parse(cls, query: Mapping[str, str], *, most: int = MAX_LIMIT) -> "PageQuery":
        """Read the query string. Raises InvalidRequest; a limit above `most` is taken as that."""
        limit = _whole_number(query, "limit", default=DEFAULT_LIMIT, lowest=1)
        offset = _whole_number(query, "offset", default=0, lowest=0)
        if offset > MAX_OFFSET:
            raise InvalidRequest(f"offset: must be at most {MAX_OFFSET}")
        return cls(min(limit, most), offset, query.get("starting_after"))


@dataclass(frozen=True)
class Page:
    """One page of a list, newest first, and how many there are in all."""

    items: list[Any]
    total: int
    limit: int
    offset: int


def in_order(queryset: QuerySet[Any]) -> QuerySet[Any]:
    """Order a list by creation and id, newest first."""
    return queryset.order_by("-created_at", "-pk")


def page_of(listed: QuerySet[Any] | Listed, query: PageQuery, total: Total | None = None) -> Page:
    """Return the page asked for, ordered by creation and id, newest first.

    `total` says how many rows there are in all; without it they are counted.
    Raises InvalidRequest where `starting_after` is not in this list.
    """
    is_first = query.starting_after is None and not query.offset
    if is_first and not isinstance(listed, QuerySet):
        items = listed.first_page(query.limit)
        count = _total(items, query, total or (lambda: listed.queryset().count()))
        return Page(items, count, query.limit, 0)
    queryset = listed if isinstance(listed, QuerySet) else listed.queryset()
    rows = in_order(queryset)
    if query.starting_after is not None:
        rows = rows.filter(_older_than(queryset, query.starting_after))
    if query.offset:
        # What is left out is passed over in an index, without a look at its rows.
        keys = rows.values("pk")[query.offset : query.offset + query.limit]
        rows = in_order(queryset).filter(pk__in=keys)
    items = list(rows[: query.limit])
    count = _total(items, query, total or queryset.count)
    return Page(items, count, query.limit, query.offset)


def _total(items: list[Any], query: PageQuery, total: Total) -> int:
    complete = query.starting_after is None and 0 < len(items) < query.limit
    return query.offset + len(items) if complete else total()


def _older_than(queryset: QuerySet[Any], pk: str) -> Q:
    anchor: Model | None = queryset.order_by().filter(pk=pk).first()
    if anchor is None:
        raise InvalidRequest("starting_after: must be the id of an object in this list")
    created_at = anchor.created_at  # type: ignore[attr-defined]  # every listed model has it
    return Q(created_at__lte=created_at) & (Q(created_at__lt=created_at) | Q(pk__lt=pk))


def _whole_number(query: Mapping[str, str], name: str, *, default: int, lowest: int) -> int:
    text = query.get(name)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,100}", text) or int(text) < lowest:
        raise InvalidRequest(f"{name}: must be a whole number from {lowest}")
    return int(text)
