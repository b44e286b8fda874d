"""Decide whether a caller has named a merchant: by its own words, not by those of any shop."""

import re
from unicodedata import combining, normalize

_OF_ANY_SHOP = re.compile(
    r"\w{1,2}|and|bahamas|bar|cafe|cent(er|re)|company|inc|limited|ltd|market|nassau|restaurant"
    r"|services?|shop|stores?|supermarket|the"
)


def is_named(name: str, answer: str) -> bool:
    """Return whether each significant word of the answer is part of the merchant's name."""
    named = _words_that_count(answer)
    return bool(named) and named <= _words_that_count(name)


def _words_that_count(text: str) -> set[str]:
    """Return the words of a name that few other shops share; all of them if there are none.

    Accents are ignored: a café is a cafe, and few people type the circumflex of a pâtisserie.
    """
    letters = "".join(each for each in normalize("NFKD", text).casefold() if not combining(each))
    words = set(re.findall(r"\w+", letters.replace("'", "").replace("\u2019", "")))
    return {word for word in words if not _OF_ANY_SHOP.fullmatch(word)} or words
