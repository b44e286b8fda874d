"""The formats of account numbers, bank codes and IBANs: pure."""

import re

_NUMBER = re.compile(r"[A-Z0-9]{4,34}")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}")
_BIC = re.compile(r"[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?")
_CLEARING_CODE = re.compile(r"[A-Z0-9]{1,35}")


def compact(text: str) -> str:
    """Return the text in capitals, without the spaces and hyphens that group it."""
    return re.sub(r"[\s-]", "", text).upper()


def is_iban(number: str) -> bool:
    """Return whether a number is an IBAN with the right check digits (ISO 13616)."""
    if not _IBAN.fullmatch(number):
        return False
    digits = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return int(digits) % 97 == 1


def is_account_number(number: str) -> bool:
    """Return whether this can be an account number; an IBAN needs the right check digits."""
    if _IBAN.fullmatch(number):
        return is_iban(number)
    return _NUMBER.fullmatch(number) is not None


def is_bic(code: str) -> bool:
    """Return whether a code has the form of a bank's BIC (ISO 9362)."""
    return _BIC.fullmatch(code) is not None


def is_clearing_code(code: str) -> bool:
    """Return whether a code can be a bank's number in a national clearing system."""
    return _CLEARING_CODE.fullmatch(code) is not None
