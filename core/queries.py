"""Filters of a list, read strictly from the query string: a wrong value is 400, never ignored."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_date
from rest_framework.request import Request

from core.errors import InvalidRequest
from core.instants import parse_instant, start_of_day

Lookups = dict[str, Any]


@dataclass(frozen=True)
class Filter:
    """What a parameter means, for the reference, and how its text becomes look-ups."""

    meaning: str
    read: Callable[[str, str], Lookups]


def query_of(request: Request) -> dict[str, str]:
    """Return the query string as one value per name. Raises InvalidRequest for a repeated name."""
    repeated = [name for name, values in request.query_params.lists() if len(values) > 1]
    if repeated:
        raise InvalidRequest(f"{repeated[0]}: must be given once")
    return {name: str(value) for name, value in request.query_params.items()}


def read_filters(query: Mapping[str, str], filters: Mapping[str, Filter]) -> Lookups:
    """Turn the filters that are given into look-ups for `QuerySet.filter`.

    Raises InvalidRequest naming what is allowed.
    """
    lookups: Lookups = {}
    for name, one in filters.items():
        if name in query:
            lookups |= one.read(name, query[name])
    return lookups


def exactly(meaning: str) -> Filter:
    """Return a filter whose value must equal the field."""
    return Filter(meaning, lambda name, text: {name: text})


def one_of(allowed: Iterable[str]) -> Filter:
    """Return a filter that takes one of these words."""
    words = tuple(allowed)

    def read(name: str, text: str) -> Lookups:
        if text not in words:
            raise InvalidRequest(f"{name}: must be one of {', '.join(words)}")
        return {name: text}

    return Filter(f"One of {', '.join(words)}.", read)


def _created_from(name: str, text: str) -> Lookups:
    """Read `start_date`, inclusive: an instant, or a date, from its first moment in UTC."""
    return {"created_at__gte": _instant(name, text, whole_day=timedelta(0))}


def _created_before(name: str, text: str) -> Lookups:
    """Read `end_date`, exclusive: an instant, or a date which is included as a whole."""
    return {"created_at__lt": _instant(name, text, whole_day=timedelta(days=1))}


def _instant(name: str, text: str, *, whole_day: timedelta) -> datetime:
    """Read a date or an instant; without a time zone it is UTC."""
    instant = parse_instant(text.replace(" ", "+")) or parse_instant(f"{text}Z")
    if instant is not None:
        return instant
    try:
        day = parse_date(text) if len(text) == len("2026-01-31") else None
    except ValueError:
        day = None
    if day is None or not 1970 <= day.year < 9999:
        raise InvalidRequest(f"{name}: must be an ISO 8601 date or instant")
    return start_of_day(day, "UTC") + whole_day


CREATED = {
    "start_date": Filter("Created from this date or instant on.", _created_from),
    "end_date": Filter(
        "Created before this instant, or until the end of this date.", _created_before
    ),
}
