"""Which PINs are refused: those that a thief tries first."""

import re

from core.errors import ValidationFailed

TEST_PIN = "1234"  # of every test customer who has not chosen another; documented, so no secret
PIN_FORMAT = re.compile("[0-9]{4,6}")
_DIGITS_IN_A_ROW = "01234567890"

# The most frequent ones that no rule below catches: years of birth and of the century, lines and
# corners of the keypad, words spelt on it.
COMMON_PINS = frozenset(
    re.findall(
        "[0-9]+",
        """
        1004 2000 2001 1122 1998 1999 2580 0852 5683 1397 1379 7139 1590 3570 4711 1009
        0007 0070 1024 2468 1357 8642 7531 2112 1221 1001 2002
        13579 24680 12321 11223 12312 54545 10203 97531 86420
        112233 159753 147258 258369 159357 789456 147852 123654 456123 102030 110110 123789
        135790 246810 334455 445566 778899 200000 100000 520131 011235 314159
        """,
    )
)


def refuse_malformed(pin: str) -> None:
    """Raise ValidationFailed for text that cannot be a PIN."""
    if not PIN_FORMAT.fullmatch(pin):
        raise ValidationFailed(pin="must be 4 to 6 digits")


def refuse_unfit(pin: str, *, phone: str) -> None:
    """Raise ValidationFailed for a PIN that the customer of this phone may not choose."""
    refuse_malformed(pin)
    if is_obvious(pin, phone=phone):
        raise ValidationFailed(pin="is too easy to guess")


def is_obvious(pin: str, *, phone: str) -> bool:
    """Return whether a PIN is common, a pattern, or part of the phone number."""
    return pin in COMMON_PINS or _repeats(pin) or _runs(pin) or pin in phone or pin[::-1] in phone


def _repeats(pin: str) -> bool:
    """1111, 1212, 123123: a shorter piece over and over."""
    return re.fullmatch(r"(.+)\1+", pin) is not None


def _runs(pin: str) -> bool:
    """1234, 9876, 7890: digits as they stand on the keypad, in either direction."""
    return pin in _DIGITS_IN_A_ROW or pin[::-1] in _DIGITS_IN_A_ROW
