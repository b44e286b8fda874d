"""Filters that write money, instants and phone numbers on the checkout's pages."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template

from checkout import formats
from core.clock import iso

register = template.Library()
register.filter("iso", iso)
register.filter("money", formats.money)
register.filter("ending", formats.ending)
register.filter("spaced", formats.spaced)


@register.filter
def moment(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone."""
    local = instant.astimezone(ZoneInfo(zone))
    return f"{formats.day_of(local)}, {formats.time_of(local)}"


@register.filter
def clock(instant: datetime, zone: str) -> str:
    """Write the time of day in a time zone."""
    return formats.time_of(instant.astimezone(ZoneInfo(zone)))


@register.filter
def day(instant: datetime, zone: str) -> str:
    """Write the day in a time zone."""
    return formats.day_of(instant.astimezone(ZoneInfo(zone)))
