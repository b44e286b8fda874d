"""What else a customer reads on the pages, in their language: deadlines, phones, what keypads show.

Money, days and times themselves are written by `core.formats`, for mails and pages alike.
"""

from datetime import date, datetime

import phonenumbers
from babel.dates import format_skeleton
from babel.numbers import get_decimal_symbol, get_group_symbol

from core.formats import region, time_of, widened
from core.money import minor_digits


def decimal_point() -> str:
    return get_decimal_symbol(region())


def signs(currency: str) -> dict[str, str]:
    """Return what a keypad writes between units and cents, if there are any, and thousands."""
    point = decimal_point() if minor_digits(currency) else ""
    return {"decimal_point": point, "group_mark": widened(get_group_symbol(region()))}


def deadline(local: datetime, today: date) -> str:
    """Write until when something can be done: the time today, or day and time."""
    if local.date() == today:
        return time_of(local)
    day = format_skeleton("MMMd", local, locale=region()).replace(" ", "\u00a0")
    return f"{day}, {time_of(local)}"


def ending(phone: str) -> str:
    """Hide all but the last four digits of a phone number, from onlookers."""
    return f"•••• {phone[-4:]}"


def spaced(phone: str) -> str:
    """Write a phone number in groups: +1 242 555 0100."""
    number = phonenumbers.parse(phone)
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    return written.replace("-", " ")
