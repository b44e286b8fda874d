"""Money, instants and phone numbers as a customer reads them, in the language of the page.

These are the only places where an amount becomes text. The languages are regional where the
region decides the form: dates as in the Bahamas, Spanish as in Latin America.
"""

from datetime import date, datetime, time
from decimal import Decimal

import phonenumbers
from babel import Locale
from babel.dates import format_skeleton, format_time
from babel.numbers import format_currency, get_decimal_symbol, get_group_symbol
from django.utils.translation import get_language

from core.money import minor_digits

REGIONS = {"en": "en_BS", "es": "es_419", "fr": "fr", "ht": "ht"}
SYMBOLS = {"BSD": "B$"}


def region() -> Locale:
    """Return the locale of the language that is active."""
    return Locale.parse(REGIONS.get(get_language() or "", "en_BS"))


def money(amount: int, currency: str) -> str:
    """Write an amount of the smallest unit: 1250 BSD is B$12.50, or 12,50 B$ in French."""
    locale, symbol = region(), SYMBOLS.get(currency)
    units = Decimal(amount).scaleb(-minor_digits(currency))
    if symbol is None:
        return format_currency(units, currency, locale=locale)
    pattern = locale.currency_formats["standard"].pattern.replace("¤", symbol)
    return format_currency(units, currency, format=pattern, locale=locale)


def plain_money(amount: int, currency: str) -> str:
    """Write an amount as digits that an amount field takes back: 1250 BSD is 12.50."""
    return str(Decimal(amount).scaleb(-minor_digits(currency))).replace(".", decimal_point())


def decimal_point() -> str:
    return get_decimal_symbol(region())


def signs() -> dict[str, str]:
    """Return what a keypad writes between units and cents, and between thousands."""
    return {"decimal_point": decimal_point(), "group_mark": get_group_symbol(region())}


def time_of(local: datetime) -> str:
    """Write the time of day of a local instant: 2:05 pm, or 14:05."""
    return format_time(local, "short", locale=region()).replace("\u202f", "\u00a0")


def day_of(local: date) -> str:
    """Write a day: 21 Nov 2026."""
    return format_skeleton("yMMMd", datetime.combine(local, time.min), locale=region())


def deadline(local: datetime, today: date) -> str:
    """Write until when something can be done: the time today, or day and time."""
    if local.date() == today:
        return time_of(local)
    return f"{format_skeleton('MMMd', local, locale=region())}, {time_of(local)}"


def ending(phone: str) -> str:
    """Hide all but the last four digits of a phone number, from whoever may look on."""
    return f"•••• {phone[-4:]}"


def spaced(phone: str) -> str:
    """Write a phone number in groups: +1 242-555-0100."""
    number = phonenumbers.parse(phone)
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
