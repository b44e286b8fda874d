"""Filters that write money, instants and phone numbers on the checkout's pages."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template

from checkout.formats import ending, spaced
from core.clock import iso
from core.formats import code_beside, day_of, moment_of, money, time_of

register = template.Library()
register.filter("iso", iso)
register.filter("money", money)
register.filter("code_beside", code_beside)
register.filter("moment", moment_of)
register.filter("ending", ending)
register.filter("spaced", spaced)


@register.filter
def clock(instant: datetime, zone: str) -> str:
    """Write the time of day in a time zone."""
    return time_of(instant.astimezone(ZoneInfo(zone)))


@register.filter
def day(instant: datetime, zone: str) -> str:
    """Write the day in a time zone."""
    return day_of(instant.astimezone(ZoneInfo(zone)))
