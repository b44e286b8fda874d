"""What banks make of our words; and the words by which money that comes back fills a wallet."""

import re
import unicodedata

from django.db.models import Q, QuerySet

from core.creditor_references import references_in
from payouts.models import PayoutOrder

MAX_TEXT_LENGTH = 140
_WORDS = ("description", "holder_name", "bank_name")  # of an order, as the bank is told them
_NOT_ASCII = r"[^\x01-\x7f]"
_LATIN = frozenset("/-?:().,'+ ")
# Letters that have no accent to lose, and the marks of typography, as banks convert them.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "\u0131": "i"}
    | {"\u2018": "'", "\u2019": "'", "\u2013": "-", "\u2014": "-"}
)


def latin(text: str) -> str:
    """Write a text in the characters that banks agree on: no accents, `.` for anything else.

    No leading, trailing or double slash: banks read codes of their own between slashes.
    """
    plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    kept = (c for c in plain if not unicodedata.combining(c))
    agreed = "".join(c if (c.isascii() and c.isalnum()) or c in _LATIN else "." for c in kept)
    return re.sub("//+", "/", agreed).strip("/ ")[:MAX_TEXT_LENGTH].rstrip("/ ")


def names_top_up(text: str) -> bool:
    """Return whether a bank may pass on a text as one that holds the reference of a top-up.

    Whatever it may leave out between the signs is left out.
    """
    return bool(references_in(re.sub("[^A-Za-z0-9]", "", latin(text))))


def payout_with_reference(orders: QuerySet[PayoutOrder], reference: str) -> str:
    """Return the id of a payout whose words hold a reference, however it is grouped; or nothing.

    As they are stored, and as banks have them: a name may be in letters of full width.
    """
    grouped = "[^a-z0-9]*".join(reference)
    told = orders.filter(_any("iregex", grouped) | _any("regex", _NOT_ASCII))
    form = re.compile(grouped, re.IGNORECASE)
    for payout_id, *words in told.order_by("pk").values_list("pk", *_WORDS).iterator():
        if any(form.search(text) or form.search(latin(text)) for text in words):
            return str(payout_id)
    return ""


def _any(lookup: str, value: str) -> Q:
    return Q(*((f"{field}__{lookup}", value) for field in _WORDS), _connector=Q.OR)
