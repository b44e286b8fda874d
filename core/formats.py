"""Money, dates and times as people read them, in the active language.

Pages and mails use these functions. The locales are regional where the region decides the form:
dates as in the Bahamas, Spanish as in Latin America.
"""

import re
from copy import copy
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_skeleton, format_time, get_timezone_gmt
from babel.numbers import get_currency_symbol
from django.utils.translation import get_language

from core.money import minor_digits

REGIONS = {"en": "en_BS", "es": "es_419", "fr": "fr", "ht": "ht"}
SYMBOLS = {"BSD": "B$"}
# A page writes the same amount in several places.
AMOUNTS_KEPT = 256
MINUTES_KEPT = 1440  # of a day


def region() -> Locale:
    """Return the locale of the language that is active."""
    return region_of(get_language() or "")


@lru_cache(maxsize=len(REGIONS) + 1)
def region_of(language: str) -> Locale:
    """Return the locale of a language; that of English if it is none of ours."""
    return Locale.parse(REGIONS.get(language, REGIONS["en"]))


def money(amount: int, currency: str) -> str:
    """Write an amount of the smallest unit: 1250 BSD is B$12.50, or 12,50 B$ in French.

    The number of decimals is the standard's, not the locale's.
    """
    return _money(amount, currency, get_language() or "")


@lru_cache(maxsize=AMOUNTS_KEPT)
def _money(amount: int, currency: str, language: str) -> str:
    locale, digits = region_of(language), minor_digits(currency)
    pattern = copy(locale.currency_formats["standard"])
    pattern.frac_prec = (digits, digits)
    text: str = pattern.apply(Decimal(amount).scaleb(-digits), locale)
    sign = _sign(currency)
    apart = f"{sign}\u00a0" if sign[-1].isalpha() else sign  # HTG 12.50, but B$12.50
    return without_narrow_spaces(re.sub(r"¤(?=[0-9])", apart, text).replace("¤", sign))


def code_beside(currency: str) -> str:
    """Return the code to write beside an amount; empty if the code is the sign already."""
    return "" if _sign(currency) == currency else currency


def money_and_code(amount: int, currency: str) -> str:
    """Write an amount where nothing else names its currency: B$12.50 BSD, HTG 12.50."""
    return f"{money(amount, currency)} {code_beside(currency)}".rstrip()


def signs_of(currency: str) -> frozenset[str]:
    """Return the signs that people know a currency by: in the active language, and in English."""
    return frozenset({_sign(currency), get_currency_symbol(currency, locale=REGIONS["en"])})


def _sign(currency: str) -> str:
    return SYMBOLS.get(currency) or get_currency_symbol(currency, locale=region())


def day_of(local: date) -> str:
    """Write a day: 21 Nov 2026. No line of a page or mail breaks inside it."""
    written = format_skeleton("yMMMd", datetime.combine(local, time.min), locale=region())
    return written.replace(" ", "\u00a0")


def time_of(local: datetime) -> str:
    """Write the time of day of a local instant: 2:05 pm, or 14:05."""
    return _minute(local.hour, local.minute, get_language() or "")


@lru_cache(MINUTES_KEPT)
def _minute(hour: int, minute: int, language: str) -> str:
    written = format_time(time(hour, minute), "short", locale=region_of(language))
    return without_narrow_spaces(written)


def moment_of(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone: 21 Nov 2026, 2:05 pm."""
    local = instant.astimezone(ZoneInfo(zone))
    return f"{day_of(local)}, {time_of(local)}"


def moment_and_offset_of(instant: datetime, zone: str) -> str:
    """Write day and time for readers elsewhere: 21 Nov 2026, 2:05 pm (GMT-05:00)."""
    return f"{moment_of(instant, zone)} {offset_of(instant, zone)}"


def offset_of(instant: datetime, zone: str) -> str:
    """Write how far a time zone is from UTC at an instant: (GMT-05:00), or (UTC-05:00).

    With a minus: a line may break behind a hyphen.
    """
    offset = get_timezone_gmt(instant.astimezone(ZoneInfo(zone)), locale=region())
    return f"({offset})".replace("-", "\u2212")


def without_narrow_spaces(text: str) -> str:
    """Return the text with its narrow spaces replaced by ones that every font has."""
    return text.replace("\u202f", "\u00a0")
