"""Money, days and times as people read them, in the language that is active.

Pages and mails write them here. The languages are regional where the region decides the form:
dates as in the Bahamas, Spanish as in Latin America.
"""

from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_skeleton, format_time
from babel.numbers import format_currency
from django.utils.translation import get_language

from core.money import minor_digits

REGIONS = {"en": "en_BS", "es": "es_419", "fr": "fr", "ht": "ht"}
SYMBOLS = {"BSD": "B$"}


def region() -> Locale:
    """Return the locale of the language that is active."""
    return Locale.parse(REGIONS.get(get_language() or "", REGIONS["en"]))


def money(amount: int, currency: str) -> str:
    """Write an amount of the smallest unit: 1250 BSD is B$12.50, or 12,50 B$ in French."""
    locale, symbol = region(), SYMBOLS.get(currency)
    units = Decimal(amount).scaleb(-minor_digits(currency))
    pattern = locale.currency_formats["standard"].pattern
    if symbol is not None:
        pattern = pattern.replace("¤", symbol)
    return widened(format_currency(units, currency, format=pattern, locale=locale))


def money_and_code(amount: int, currency: str) -> str:
    """Write an amount where nothing else names its currency: B$12.50 BSD."""
    return f"{money(amount, currency)} {currency}"


def day_of(local: date) -> str:
    """Write a day: 21 Nov 2026."""
    return format_skeleton("yMMMd", datetime.combine(local, time.min), locale=region())


def time_of(local: datetime) -> str:
    """Write the time of day of a local instant: 2:05 pm, or 14:05."""
    return widened(format_time(local, "short", locale=region()))


def moment_of(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone: 21 Nov 2026, 2:05 pm."""
    local = instant.astimezone(ZoneInfo(zone))
    return f"{day_of(local)}, {time_of(local)}"


def widened(text: str) -> str:
    """Return the text with its narrow spaces replaced by ones that every font has."""
    return text.replace("\u202f", "\u00a0")
