"""Amounts as banks write them: units with a decimal point, made of integers."""

import re

from core.money import is_currency, minor_digits

_WRITTEN = re.compile(r"([0-9]{1,18})(?:\.([0-9]{0,5}))?", re.ASCII)
_LARGEST = 10**17


def decimal_text(amount: int, currency: str) -> str:
    """Write cents as units: 1250 BSD is 12.50, 1250 JPY is 1250."""
    digits = minor_digits(currency)
    if not digits:
        return str(amount)
    units, cents = divmod(amount, 10**digits)
    return f"{units}.{cents:0{digits}}"


def cents_of(text: str, currency: str) -> int | None:
    """Read units as cents: 12.50 BSD is 1250. None for what is no exact amount of the currency."""
    written = _WRITTEN.fullmatch(text.strip())
    if written is None or not is_currency(currency):
        return None
    units, fraction = written[1], (written[2] or "").rstrip("0")
    digits = minor_digits(currency)
    if len(fraction) > digits:
        return None
    amount = int(units) * 10**digits + int(fraction.ljust(digits, "0") or 0)
    return amount if amount < _LARGEST else None
