"""Phone numbers: read as people write them, kept as E.164, shown with the middle hidden."""

import re

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberFormat, PhoneNumberType

from core.errors import ValidationFailed
from core.text import is_printable

HOME_REGION = "BS"  # where a number without a country code belongs
NORTH_AMERICA = 1  # the country code whose numbers have an area of three digits
AREA_DIGITS = 3
MAX_CHARACTERS = 32
PHONE_RULE = "must be a mobile phone number, with its country code"
_WRITTEN = re.compile(r"\+?[\d\s().\-/]+")
# A text to other numbers may cost many times as much, which SMS pumping fraud exploits.
_CAN_RECEIVE_TEXTS = (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE)


def read_phone(text: str, *, livemode: bool) -> str | None:
    """Return the number as E.164 (+12425550100), or None if there is no such phone.

    Spaces, hyphens and brackets do not matter. A live number must be one that can receive texts; in
    test mode any possible number will do.
    """
    number = _parse(text.strip())
    if number is None or not _is_usable(number, livemode=livemode):
        return None
    return phonenumbers.format_number(number, PhoneNumberFormat.E164)


def normalize_phone(text: str, *, livemode: bool) -> str:
    """Return the number as E.164. Raises ValidationFailed."""
    phone = read_phone(text, livemode=livemode)
    if phone is None:
        raise ValidationFailed(phone=PHONE_RULE)
    return phone


def country_of(phone: str) -> str:
    """Return the ISO 3166 code of an E.164 number's country; empty if it has none."""
    return phonenumbers.region_code_for_number(phonenumbers.parse(phone)) or ""


def masked(phone: str) -> str:
    """Return an E.164 number as it may be shown: +1 242 ••• 0100."""
    number = phonenumbers.parse(phone)
    national = phonenumbers.national_significant_number(number)
    area = national[:AREA_DIGITS] if number.country_code == NORTH_AMERICA else ""
    parts = [f"+{number.country_code}", area, "•••", national[-4:]]
    return " ".join(part for part in parts if part)


def _parse(text: str) -> PhoneNumber | None:
    if len(text) > MAX_CHARACTERS or not is_printable(text) or not _WRITTEN.fullmatch(text):
        return None
    international = re.sub("^00", "+", text)
    try:
        return phonenumbers.parse(international, HOME_REGION)
    except NumberParseException:
        return None


def _is_usable(number: PhoneNumber, *, livemode: bool) -> bool:
    if not livemode:
        return phonenumbers.is_possible_number(number)
    kind = phonenumbers.number_type(number)
    return phonenumbers.is_valid_number(number) and kind in _CAN_RECEIVE_TEXTS
