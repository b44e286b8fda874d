"""The human-readable payment number: on pages, in e-mails, on paper, and in staff search.

It is derived from the id alone: the millisecond of creation and a check, in characters that are
hard to confuse. It identifies a payment but grants no access: it reveals nine bits of a hash
of the id, secret part included.
"""

import hashlib
import re

from core.ids import TIME_CHARACTERS, base62, is_id, millisecond_of

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CHARACTERS, BITS = 10, 5
CHECK_BITS = 9
NEAR = 2  # characters that may be missing or too many
FIRST_MILLISECOND = 1_577_836_800_000  # start of 2020: 41 bits last until 2089
_NUMBER = re.compile(rf"([{LETTERS}]{{5}})[- ]?([{LETTERS}]{{5}})")
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"  # what word processors and mailboxes write
_MISREAD = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"} | dict.fromkeys(_DASHES, "-"))


def number_of(payment_id: str) -> str:
    """Return the number of a payment, such as 8K3QF-2M7XA; empty if this is not a payment id."""
    if not is_id("pay", payment_id):
        return ""
    since = millisecond_of(payment_id) - FIRST_MILLISECOND
    check = int.from_bytes(hashlib.sha256(payment_id.encode()).digest()[:2]) >> (16 - CHECK_BITS)
    value = since << CHECK_BITS | check
    places = reversed(range(0, CHARACTERS * BITS, BITS))
    text = "".join(LETTERS[value >> place & len(LETTERS) - 1] for place in places)
    return f"{text[:5]}-{text[5:]}"


def id_prefix_of(text: str) -> str:
    """Return the prefix of the payment id behind a number; empty if the text is not a number."""
    found = _NUMBER.fullmatch(text.strip().upper().translate(_MISREAD))
    if found is None:
        return ""
    value = 0
    for letter in found[1] + found[2]:
        value = value << BITS | LETTERS.index(letter)
    return f"pay_{base62((value >> CHECK_BITS) + FIRST_MILLISECOND, TIME_CHARACTERS)}"


def characters_of(text: str) -> int:
    """Return how many characters a number has that was heard or copied incompletely, or with more.

    0 if the text is a whole number, or cannot be one.
    """
    typed = re.sub("[- ]", "", text.strip().upper().translate(_MISREAD))
    is_near = 0 < abs(len(typed) - CHARACTERS) <= NEAR and set(typed) <= set(LETTERS)
    is_mixed = any(map(str.isdecimal, text)) and any(map(str.isalpha, text))
    return len(typed) if is_near and is_mixed else 0


def is_number_of(text: str, payment_id: str) -> bool:
    """Return whether a typed text is the number of this payment."""
    typed = text.strip().upper().translate(_MISREAD).replace(" ", "").replace("-", "")
    return typed != "" and typed == number_of(payment_id).replace("-", "")
