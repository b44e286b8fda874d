"""Filters of a list, parsed strictly from the query string: a wrong value is 400, never ignored."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils.dateparse import parse_date
from rest_framework.request import Request

from core.errors import InvalidRequest
from core.instants import parse_instant, start_of_day
from core.limits import MAX_METADATA_KEYS, MAX_NAME
from core.money import is_currency
from core.prepared import Choice
from core.search import words_of

Lookups = dict[str, Any]

METADATA_KEY = "metadata[key]"
MOST_CENTS = 10**15 - 1
WORDS, COMMON_WORDS = "words", "common_words"
PAIRS = "pairs"
CHANGED = "updated_at__gte"
MAX_WORDS = 10


@dataclass(frozen=True)
class Filter:
    """What a parameter means, for the reference, and how its text becomes look-ups."""

    meaning: str
    read: Callable[[str, str], Lookups]
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "string"})


def query_of(request: Request) -> dict[str, str]:
    """Return the query string as one value per name. Raises InvalidRequest for a repeated name."""
    if not request._request.META.get("QUERY_STRING"):  # as in most requests: nothing to parse
        return {}
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
        if name == METADATA_KEY:
            lookups |= _pairs(query)
        elif name in query:
            lookups |= one.read(name, query[name])
    return lookups


def read_elsewhere(meaning: str, schema: Mapping[str, Any]) -> Filter:
    """Return a parameter that is no look-up: what reads it is not here."""
    return Filter(meaning, lambda *_: {}, schema)


def exactly(meaning: str, column: str | None = None) -> Filter:
    """Return a filter whose value must equal the column, which by default has its name."""
    return Filter(meaning, lambda name, text: {column or name: text})


def one_of(allowed: Iterable[str]) -> Filter:
    """Return a filter that takes one of these words."""
    words = tuple(allowed)

    def read(name: str, text: str) -> Lookups:
        if text not in words:
            raise InvalidRequest(f"{name}: must be one of {', '.join(words)}")
        return {name: Choice(text)}

    return Filter(f"One of {', '.join(words)}.", read, {"type": "string", "enum": list(words)})


def _amount(lookup: str) -> Callable[[str, str], Lookups]:
    def read(name: str, text: str) -> Lookups:
        if not re.fullmatch("[0-9]{1,15}", text):
            raise InvalidRequest(f"{name}: must be a whole number of cents")
        return {lookup: int(text)}

    return read


def _currency(name: str, text: str) -> Lookups:
    if not is_currency(text):
        raise InvalidRequest(f"{name}: must be an ISO 4217 currency code such as BSD")
    return {name: Choice(text)}


def _pairs(query: Mapping[str, str]) -> Lookups:
    """Read every `metadata[key]=text` into one look-up, which the queryset takes out as `PAIRS`."""
    before, after = METADATA_KEY.split("key")
    pairs = {
        name.removeprefix(before).removesuffix(after): text
        for name, text in query.items()
        if name.startswith(before) and name.endswith(after)
    }
    if len(pairs) > MAX_METADATA_KEYS:
        raise InvalidRequest(f"{METADATA_KEY}: may be given {MAX_METADATA_KEYS} times")
    return {PAIRS: pairs} if pairs else {}


def _words(name: str, text: str) -> Lookups:
    words = words_of(text)
    if not 1 <= len(words) <= MAX_WORDS or len(text) > MAX_NAME:
        raise InvalidRequest(f"{name}: must be 1 to {MAX_WORDS} words of letters and digits")
    return {WORDS: words}


def words_in(meaning: str) -> Filter:
    """Return a filter by words, which the queryset takes out of the look-ups as `WORDS`."""
    return Filter(f"Up to 10 words or beginnings of words, all found in {meaning}.", _words)


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
        raise InvalidRequest(f"{name}: must be an ISO 8601 date or instant, from 1970 to 9998")
    return start_of_day(day, "UTC") + whole_day


_CENTS = {"type": "integer", "minimum": 0, "maximum": MOST_CENTS}
_CURRENCY = {"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["BSD"]}
# Neither `date` nor `date-time`: each would keep generated clients from sending the other.
_WHEN = {
    "type": "string",
    "pattern": r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$",
    "examples": ["2026-01-31", "2026-01-31T09:30:00Z"],
}

AMOUNTS = {
    "amount": Filter("Exactly this many cents.", _amount("amount"), _CENTS),
    "amount_min": Filter("At least this many cents.", _amount("amount__gte"), _CENTS),
    "amount_max": Filter("At most this many cents.", _amount("amount__lte"), _CENTS),
    "currency": Filter("An ISO 4217 code.", _currency, _CURRENCY),
}
METADATA = {
    METADATA_KEY: Filter(
        "The text, number or boolean stored under each key: `metadata[order_id]=1001`.",
        exactly("").read,
        {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "examples": [{"order_id": "1001"}],
        },
    ),
}
CSV_OR_JSON = read_elsewhere(
    "`csv` for a file; `Accept: text/csv` means the same.",
    {"type": "string", "enum": ["json", "csv"]},
)
UPDATED = {
    "updated_since": Filter(
        "Last changed at this date or time, or later; UTC unless it has a time zone.",
        lambda name, text: {CHANGED: _instant(name, text, whole_day=timedelta(0))},
        _WHEN,
    ),
}
CREATED = {
    "start_date": Filter(
        "Created at this date or time, or later; UTC unless it has a time zone.",
        _created_from,
        _WHEN,
    ),
    "end_date": Filter(
        "Created before this time, or before the end of this date; UTC unless it has a time zone.",
        _created_before,
        _WHEN,
    ),
}
