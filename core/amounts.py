"""Amounts as people type them, parsed into integers of the smallest unit without a float."""

import re
import unicodedata

from core.formats import signs_of
from core.money import minor_digits

MAX_TYPED = 30
GROUP = 3
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


def read_amount(text: str, currency: str, point: str) -> int | None:
    """Parse a typed amount into the smallest unit; return None if it is invalid or ambiguous.

    The currency's code or sign at either end, spaces, hyphens and brackets are ignored; a minus
    sign is not. A lone `.` is the decimal point; so is a lone `,`, unless three digits follow and
    the page's language (whose decimal point is `point`) groups with it. If both occur, the last one
    is the decimal point. So 1.5 is 1.50, and never 1.05.
    """
    if len(text) > MAX_TYPED:
        return None
    kept = re.sub(r"[\s()'\u2019]|(?<=[0-9])-", "", _without_sign(text, currency))
    if not re.fullmatch(r"[0-9.,]*[0-9][0-9.,]*", kept):
        return None
    return _cents(_normal(kept, point), minor_digits(currency))


def _without_sign(text: str, currency: str) -> str:
    """Strip the currency's code, its sign or a bare "$" from either end."""
    names = {currency, *signs_of(currency)}
    names |= {mark for name in names for mark in name if unicodedata.category(mark) == "Sc"}
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"^\s*(?:{either})|(?:\s*(?:{either}))+\s*$", "", text, flags=re.IGNORECASE)


def _normal(text: str, point: str) -> str:
    """Write a typed number with `,` between groups and `.` as the point."""
    marks = re.sub("[0-9]", "", text)
    if len(set(marks)) > 1:
        point = marks[-1]
    elif len(marks) == 1 and (marks == "." or len(text) - text.index(marks) - 1 != GROUP):
        point = marks
    return text.translate({ord("."): ",", ord(","): "."}) if point == "," else text


def _cents(text: str, digits: int) -> int | None:
    whole, _point, rest = text.partition(".")
    if not re.fullmatch("[0-9]*", whole) and not _GROUPED.fullmatch(whole):
        return None
    if len(rest) > digits or not re.fullmatch("[0-9]*", rest):
        return None
    return int(f"{whole.replace(',', '')}{rest:0<{digits}}" or "0")
