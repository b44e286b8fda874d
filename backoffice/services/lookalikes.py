"""Verified merchants whose names look like another's, on a page or in a text message.

Letters of other scripts, and digits, may look exactly like Latin letters: staff who verify a
merchant, or approve its new name, cannot tell them apart by looking.
"""

from itertools import islice
from unicodedata import combining, normalize

from django.db.models import QuerySet

from merchants.models import Merchant
from merchants.statuses import MerchantStatus

MOST_NAMED = 5
# Capitals first, as some look like another letter than their small forms do.
_CAPITALS = str.maketrans("АВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABESIJKMHOPCTYXABEZHIKMNOPTYX")  # noqa: RUF001  # look-alikes
_SMALL = str.maketrans(
    "аеорсухіјѕԁһԛԝӏвнмткαορτυικνɑɡоıi1|0",  # noqa: RUF001  # look-alikes
    "aeopcyxljsdhqwlbhmtkaoptulkvagollllo",
)


def verified_lookalikes(merchant: Merchant, name: str) -> list[Merchant]:
    """Return other verified merchants that this name could be taken for, at most `MOST_NAMED`."""
    skeleton = _skeleton(name)
    others = _verified().exclude(pk=merchant.pk).only("id", "name")
    found = (each for each in others.iterator() if _skeleton(each.name) == skeleton)
    return list(islice(found, MOST_NAMED))


def _verified() -> QuerySet[Merchant]:
    return Merchant.objects.filter(status=MerchantStatus.VERIFIED)


def _skeleton(name: str) -> str:
    """Return a name as the eye compares it: equal for names that look the same.

    Case, accents, spaces and punctuation are dropped, and lookalike letters written as one.
    """
    folded = normalize("NFKD", name).translate(_CAPITALS).casefold()
    letters = "".join(each for each in folded if not combining(each)).translate(_SMALL)
    return "".join(filter(str.isalnum, letters)).replace("rn", "m").replace("vv", "w")
