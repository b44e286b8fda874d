"""Names of merchants: which look like another's, and whether a caller has named one.

Letters of other scripts, and digits, may look exactly like Latin letters: staff who verify a
merchant, or approve its new name, cannot tell them apart by looking. Those of a few scripts are
known here; a name with any others is at least said to have them. A caller has named a merchant by
its own words, not by those of any shop.
"""

import re
from itertools import islice
from unicodedata import combining, name, normalize

from merchants.models import Merchant
from merchants.statuses import MerchantStatus

MOST_NAMED = 5
# How the name of a letter begins: CYRILLIC SMALL LETTER A, OLD ITALIC LETTER A.
_SCRIPT = re.compile(r"MODIFIER LETTER|OLD (?:NORTH |SOUTH )?[\w-]+|[\w-]+")
# Capitals first, as some look like another letter than their small forms do.
_CAPITALS = str.maketrans("АВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABESIJKMHOPCTYXABEZHIKMNOPTYX")  # noqa: RUF001  # look-alikes
_SMALL = str.maketrans(
    "аеорсухіјѕԁһԛԝӏвнмткαορτυικνɑɡоıi1|0",  # noqa: RUF001  # look-alikes
    "aeopcyxljsdhqwlbhmtkaoptulkvagollllo",
)
_OF_ANY_SHOP = re.compile(
    r"\w{1,2}|and|bahamas|bar|cafe|cent(er|re)|company|inc|limited|ltd|market|nassau|restaurant"
    r"|services?|shop|stores?|supermarket|the"
)


def verified_lookalikes(merchant: Merchant, called: str) -> list[Merchant]:
    """Return other verified merchants that this name could be taken for, at most `MOST_NAMED`."""
    skeleton = _skeleton(called)
    verified = Merchant.objects.filter(status=MerchantStatus.VERIFIED)
    others = verified.exclude(pk=merchant.pk).only("id", "name")
    found = (each for each in others.iterator() if _skeleton(each.name) == skeleton)
    return list(islice(found, MOST_NAMED))


def scripts_beside_latin(text: str) -> list[str]:
    """Return the scripts of a text's letters other than Latin, as Unicode calls them: Cyrillic.

    Letters of no script, such as the turned comma of Hawaiian, are told as Modifier Letter.
    """
    letters = filter(str.isalpha, normalize("NFKD", text))
    names = {_SCRIPT.findall(name(each, "UNNAMED"))[0] for each in letters}
    return sorted(each.title() for each in names - {"LATIN"})


def _skeleton(text: str) -> str:
    """Return a name as the eye compares it: equal for names that look the same.

    Case, accents, spaces and punctuation are dropped, and lookalike letters written as one.
    """
    folded = normalize("NFKD", text).translate(_CAPITALS).casefold()
    letters = "".join(each for each in folded if not combining(each)).translate(_SMALL)
    return "".join(filter(str.isalnum, letters)).replace("rn", "m").replace("vv", "w")


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
