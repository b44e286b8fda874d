"""Money is an `int` in the smallest unit, beside its ISO 4217 currency."""

from core.currencies import EXPONENTS, WITHDRAWN

MAX_AMOUNT = 99_999_999_999


def is_currency(code: str) -> bool:
    """Return whether this is an ISO 4217 code, in capitals, in which payments can be made."""
    return code in EXPONENTS


def minor_digits(currency: str) -> int:
    """Return how many decimal digits the smallest unit has: 2 for BSD, 0 for JPY, 3 for KWD.

    Raises KeyError for a code that was never a currency here: none is guessed.
    """
    return EXPONENTS[currency] if currency in EXPONENTS else WITHDRAWN[currency]


def decimal_text(amount: int, currency: str) -> str:
    """Write an amount in units, as banks and spreadsheets read it: 1250 BSD is 12.50."""
    digits = minor_digits(currency)
    if not digits:
        return str(amount)
    units, rest = divmod(abs(amount), 10**digits)
    return f"{'-' if amount < 0 else ''}{units}.{rest:0{digits}}"


def basis_points_of(amount: int, basis_points: int) -> int:
    """Return that share of an amount, in ten-thousandths, rounded half up, without a float."""
    return (amount * basis_points + 5_000) // 10_000


def share_of(amount: int, part: int, whole: int) -> int:
    """Return `amount * part / whole`, rounded half up, without a float."""
    return (2 * amount * part + whole) // (2 * whole)
