"""Amounts as banks write them: units with a decimal point, made of integers."""

from core.money import minor_digits


def decimal_text(amount: int, currency: str) -> str:
    """Write cents as units: 1250 BSD is 12.50, 1250 JPY is 1250."""
    digits = minor_digits(currency)
    if not digits:
        return str(amount)
    units, cents = divmod(amount, 10**digits)
    return f"{units}.{cents:0{digits}}"
