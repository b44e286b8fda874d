"""Instants as callers write them."""

from datetime import UTC, date, datetime

from django.utils.dateparse import parse_datetime

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 1, 1, tzinfo=UTC)


def parse_instant(text: str) -> datetime | None:
    """Read an ISO 8601 instant that names its offset; None where it is not one."""
    try:
        parsed = parse_datetime(text)
    except ValueError:
        return None
    if parsed is None or parsed.tzinfo is None:
        return None
    try:
        instant = parsed.astimezone(UTC)
    except OverflowError:
        return None
    return instant if EARLIEST <= instant <= LATEST else None


def start_of_day(day: date) -> datetime:
    """Return the first moment of a date, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
