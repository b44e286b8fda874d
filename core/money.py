"""Money is an `int` in the smallest unit, beside its ISO 4217 currency."""

from decimal import Decimal
from functools import lru_cache

from babel.core import get_global
from babel.numbers import format_decimal, get_currency_precision, get_currency_symbol

MAX_AMOUNT = 99_999_999_999


@lru_cache
def _tenders() -> frozenset[str]:
    """Return the currencies in use today: no metals, withdrawn currencies or test codes."""
    histories = get_global("territory_currencies").values()
    return frozenset(
        code for history in histories for code, _, end, tender in history if tender and end is None
    )


def is_currency(code: str) -> bool:
    """Return whether this is the ISO 4217 code, in capital letters, of a currency in use."""
    return code in _tenders()


def minor_digits(currency: str) -> int:
    """Return how many decimal digits the smallest unit has: 2 for BSD, 0 for JPY."""
    return get_currency_precision(currency)


def basis_points_of(amount: int, basis_points: int) -> int:
    """Return that share of an amount in ten-thousandths, rounded half up, without a float."""
    return (amount * basis_points + 5_000) // 10_000


def share_of(amount: int, part: int, whole: int) -> int:
    """Return `amount * part / whole`, rounded half up, without a float."""
    return (2 * amount * part + whole) // (2 * whole)


def format_amount(amount: int, currency: str) -> str:
    """Write an amount as staff read it: 1250 BSD is "B$12.50 BSD"."""
    sign = "B$" if currency == "BSD" else get_currency_symbol(currency, locale="en")
    value = Decimal(amount).scaleb(-minor_digits(currency))
    number = format_decimal(value, format=_pattern(currency), locale="en")
    return f"{sign}{number} {currency}" if sign != currency else f"{number} {currency}"


@lru_cache
def _pattern(currency: str) -> str:
    digits = minor_digits(currency)
    return "#,##0." + "0" * digits if digits else "#,##0"
