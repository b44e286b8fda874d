"""Formats for pages only, in the customer's language: deadlines, phone numbers, keypad symbols.

`core.formats` writes money, days and times, for e-mails and pages alike.
"""

from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import phonenumbers
from babel.dates import format_skeleton
from babel.numbers import get_decimal_symbol, get_group_symbol
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from core.formats import region, region_of, time_of, without_narrow_spaces
from core.money import minor_digits
from customers.models import ERASED_PREFIX

MINUTES_IN_HOUR, HOURS_IN_DAY, HOURS_SHOWN = 60, 24, 48
DAYS_KEPT = 256  # distinct days on which open payments end, per language


def decimal_point() -> str:
    return get_decimal_symbol(region())


def signs(currency: str) -> dict[str, str | int]:
    """Return the decimal point (if the currency has decimals) and group mark for a keypad."""
    digits = minor_digits(currency)
    return {
        "decimal_point": decimal_point() if digits else "",
        "group_mark": without_narrow_spaces(get_group_symbol(region())),
        "decimals": digits,
    }


def deadline(local: datetime, today: date) -> str:
    """Write a deadline: the time if it is today, otherwise day and time."""
    if local.date() == today:
        return time_of(local)
    return f"{_short_day(local.date(), get_language() or '')}, {time_of(local)}"


@lru_cache(DAYS_KEPT)
def _short_day(day: date, language: str) -> str:
    written = format_skeleton("MMMd", datetime.combine(day, time.min), locale=region_of(language))
    return written.replace(" ", "\u00a0")


def last_moment(instant: datetime | None, zone: str, now: datetime) -> str:
    """Write until when something can be paid, in a time zone; nothing if there is no limit."""
    if instant is None:
        return ""
    local = instant.astimezone(ZoneInfo(zone))
    if local.time() == time.min:
        local -= timedelta(minutes=1)  # midnight reads as the end of the day before
    return deadline(local, now.astimezone(ZoneInfo(zone)).date())


def time_left(instant: datetime | None, now: datetime) -> str:
    """Write how long something can still be paid, like the page's script: 23 h 5 min left.

    Minutes are rounded up.
    """
    if instant is None or instant <= now:
        return ""
    minutes = -((now - instant) // timedelta(minutes=1))
    if minutes <= MINUTES_IN_HOUR:
        return _("%(m)d min left") % {"m": minutes} if minutes > 1 else _("1 min left")
    hours, minutes = divmod(minutes, MINUTES_IN_HOUR)
    if hours >= HOURS_SHOWN:
        days = hours // HOURS_IN_DAY
        return ngettext("%(n)d day left", "%(n)d days left", days) % {"n": days}
    words = _("%(h)d h %(m)d min left") if minutes else _("%(h)d h left")
    return words % {"h": hours, "m": minutes}


def ending(phone: str) -> str:
    """Mask all but the last four digits of a phone number."""
    return f"•••• {last_digits(phone)}".rstrip()


def last_digits(phone: str) -> str:
    """Return the last four digits of a phone number; none of one that stands for an erased one."""
    return "" if phone.startswith(ERASED_PREFIX) else phone[-4:]


def spaced(phone: str) -> str:
    """Write a phone number in groups: +1 242 555 0100."""
    number = phonenumbers.parse(phone)
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    return written.replace("-", " ")
