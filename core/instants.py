"""Instants as callers write them, and the days that they belong to."""

from datetime import UTC, date, datetime, time
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.utils.dateparse import parse_datetime

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 1, 1, tzinfo=UTC)
# What a machine lists besides places: its own zone, another on each, and that of an unset clock.
NO_PLACES = frozenset({"localtime", "Factory"})


@cache
def time_zones() -> frozenset[str]:
    """Return the names of the time zones that mean the same on every machine."""
    return frozenset(available_timezones()) - NO_PLACES


def parse_instant(text: str) -> datetime | None:
    """Parse an ISO 8601 instant that has an offset; return None if it is not one."""
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


def start_of_day(day: date, time_zone: str) -> datetime:
    """Return the first moment of a date in that time zone, in UTC."""
    return datetime.combine(day, time.min, tzinfo=ZoneInfo(time_zone)).astimezone(UTC)


def today_in(time_zone: str, now: datetime) -> date:
    """Return the local date in that time zone."""
    return now.astimezone(ZoneInfo(time_zone)).date()
