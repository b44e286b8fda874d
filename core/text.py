"""Which text is accepted at all: only what is safe in every database, page and header."""

import re
import unicodedata

# On one letter: the longest syllable of Tibetan has eight. More are piled up to cover the lines
# above and below.
MOST_MARKS = 8
NAME_CHARACTERS = 64
PRINTABLE_RULE = (
    f"must not contain control or tag characters, or more than {MOST_MARKS} combining marks"
    " in a row"
)
# Letters that are drawn as nothing, but read by programs: a sentence of them would be hidden in our
# e-mails and pages. Those after a black flag name the region whose flag it is.
_TAG = "[\U000e0000-\U000e007f]"
_FLAG_OR_TAG = re.compile(
    "(\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)|" + _TAG
)
_NEVER = re.compile("[\x00\ud800-\udfff]")
# The last two are no characters: no XML has them, so that a drawing or a file is none with them.
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
# Invisible: two names that look alike would differ. Joiners and variation selectors, which
# scripts and emoji need, are not listed; tags are, although flags of regions are made of them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_LINE_BREAK = re.compile("[\r\n\t\u2028\u2029]")


def shown_name(name: str) -> str:
    """Write a name that the caller chose so that a header can carry it: in ASCII, on one line."""
    return ascii(name[:NAME_CHARACTERS])[1:-1]


def is_storable(text: str) -> bool:
    """Return whether both databases and UTF-8 can hold the text: no NUL, no lone surrogate."""
    return _NEVER.search(text) is None


def is_printable(text: str, *, lines: bool = False) -> bool:
    """Return whether the text has no control, bidirectional or tag character, and no pile of marks.

    `lines` allows breaks.
    """
    if _CONTROL.search(text) or is_piled(text) or without_tags(text) != text:
        return False
    return lines or _LINE_BREAK.search(text) is None


def is_piled(text: str) -> bool:
    """Return whether the text has more than `MOST_MARKS` combining marks in a row."""
    return without_piles(text) != text


def showable(text: str) -> str:
    """Return a text of anyone's with U+FFFD for each control, bidirectional or tag character.

    Of a pile of marks it has the first ones.
    """
    return _CONTROL.sub("\ufffd", without_tags(without_piles(text), instead="\ufffd"))


def isolated(text: str) -> str:
    """Return a text to stand in a line of e-mail: in an isolate, if it has right-to-left letters.

    Else its letters would draw the numbers beside it into their own order, as those of the amount.
    Other texts are unchanged.
    """
    if any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in text):
        return f"\u2068{text}\u2069"
    return text


def names_someone(text: str) -> bool:
    """Return whether a text has a letter or a digit, and no invisible character."""
    return _INVISIBLE.search(text) is None and _LETTER_OR_DIGIT.search(text) is not None


def without_tags(text: str, *, instead: str = "") -> str:
    """Replace each tag character that is not part of the flag of a region."""
    if text.isascii():
        return text
    return _FLAG_OR_TAG.sub(lambda found: found[1] or instead, text)


def without_piles(text: str, *, most: int = MOST_MARKS) -> str:
    """Leave out what is above `most` combining marks in a row, whatever joins them.

    For what was stored before piles were refused, where a page does not clip it.
    """
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        category = unicodedata.category(character)
        if category[0] == "M":
            marks += 1
        elif category != "Cf":  # a joiner is drawn as nothing: the marks go on upon the same letter
            marks = 0
        if marks <= most:
            kept.append(character)
    return "".join(kept)
