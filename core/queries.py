"""Filters of a list, read strictly from the query string: a wrong value is 400, never ignored."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_date
from rest_framework.request import Request

from core.errors import InvalidRequest
from core.instants import parse_instant, start_of_day

Reader = Callable[[str, str], dict[str, Any]]


def query_of(request: Request) -> dict[str, str]:
    """Return the query string as one value per name. Raises InvalidRequest for a repeated name."""
    repeated = [name for name, values in request.query_params.lists() if len(values) > 1]
    if repeated:
        raise InvalidRequest(f"{repeated[0]}: must be given once")
    return {name: str(value) for name, value in request.query_params.items()}


def read_filters(query: Mapping[str, str], readers: Mapping[str, Reader]) -> dict[str, Any]:
    """Turn the filters that are given into look-ups for `QuerySet.filter`."""
    lookups: dict[str, Any] = {}
    for name, reader in readers.items():
        if name in query:
            lookups |= reader(name, query[name])
    return lookups


def exactly(name: str, text: str) -> dict[str, Any]:
    """Read a filter whose value must equal the field."""
    return {name: text}


def one_of(allowed: Iterable[str]) -> Reader:
    """Read a filter that takes one of these words."""
    words = tuple(allowed)

    def read(name: str, text: str) -> dict[str, Any]:
        if text not in words:
            raise InvalidRequest(f"{name}: must be one of {', '.join(words)}")
        return {name: text}

    return read


def created_from(name: str, text: str) -> dict[str, Any]:
    """Read `start_date`, inclusive: an instant, or a date from whose first moment (UTC) on."""
    return {"created_at__gte": _instant(name, text, whole_day=timedelta(0))}


def created_before(name: str, text: str) -> dict[str, Any]:
    """Read `end_date`, exclusive: an instant, or a date which is included as a whole."""
    return {"created_at__lt": _instant(name, text, whole_day=timedelta(days=1))}


def _instant(name: str, text: str, *, whole_day: timedelta) -> datetime:
    """Read a date or an instant; what names no time zone is meant in UTC."""
    instant = parse_instant(text.replace(" ", "+")) or parse_instant(f"{text}Z")
    if instant is not None:
        return instant
    try:
        day = parse_date(text) if len(text) == len("2026-01-31") else None
    except ValueError:
        day = None
    if day is None or not 1970 <= day.year < 9999:
        raise InvalidRequest(f"{name}: must be an ISO 8601 date or instant")
    return start_of_day(day) + whole_day
