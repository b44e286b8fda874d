"""Which text is accepted at all: text that is safe in every database, page and header."""

import re

_NEVER = re.compile("[\x00\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_BREAK = re.compile("[\r\n\t\u2028\u2029]")


def is_storable(text: str) -> bool:
    """Return whether both databases and UTF-8 can hold the text: no NUL, no lone surrogate."""
    return _NEVER.search(text) is None


def is_printable(text: str, *, lines: bool = False) -> bool:
    """Return whether the text has no control or bidirectional character (breaks if `lines`)."""
    if _CONTROL.search(text):
        return False
    return lines or _LINE_BREAK.search(text) is None
