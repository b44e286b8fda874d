"""How banks alter our texts; and texts by which a returned payout would fill a wallet."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q

from core.creditor_references import references_in
from payouts.models import PayoutOrder

MAX_TEXT_LENGTH = 140
_WORDS = ("description", "holder_name", "bank_name")  # the columns of an order sent to the bank
_NOT_ASCII = r"[^\x01-\x7f]"
_NOT_PLAIN = re.compile("[^A-Za-z0-9]")  # what a bank may drop, or insert between characters
_A_REFERENCE = "r[^a-z0-9]*f([^a-z0-9]*[0-9]){2}([^a-z0-9]*[a-z0-9]){8}"
_LATIN = frozenset("/-?:().,'+ ")
# Letters that do not decompose, and typographic marks, as banks convert them.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O"}
    | {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "\u0131": "i"}
    | {"\u2018": "'", "\u2019": "'", "\u2013": "-", "\u2014": "-"}
)


def to_bank_characters(text: str) -> str:
    """Return a text in the character set of all banks: no accents, `.` for anything else.

    No leading, trailing or double slashes: banks read codes of their own between slashes.
    """
    plain = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    kept = (c for c in plain if not unicodedata.combining(c))
    agreed = "".join(c if (c.isascii() and c.isalnum()) or c in _LATIN else "." for c in kept)
    return re.sub("//+", "/", agreed).strip("/ ")[:MAX_TEXT_LENGTH].rstrip("/ ")


def names_top_up(text: str) -> bool:
    """Return whether a text, as a bank may pass it on, contains a top-up reference.

    Everything that a bank may drop between characters is ignored.
    """
    return bool(references_in(_NOT_PLAIN.sub("", to_bank_characters(text))))


class WordsOfOrders:
    """The top-up references in the texts of our orders, each of which is read once.

    Both as stored and as banks convert them: a name may be in full-width letters. Valid for one
    bank file, as whatever it returns had left before the file was written.
    """

    def __init__(self) -> None:
        self._held: dict[tuple[bool, str], list[tuple[str, datetime]]] = defaultdict(list)
        self._read_since: dict[bool, datetime] = {}

    def payout_with(self, reference: str, *, livemode: bool, since: datetime) -> str:
        """Return the id of a payout since then whose texts contain the reference; or ""."""
        self._read(livemode, since)
        held = self._held.get((livemode, reference), [])
        return min((payout_id for payout_id, at in held if at >= since), default="")

    def _read(self, livemode: bool, since: datetime) -> None:
        orders = PayoutOrder.objects.filter(
            payout__livemode=livemode, payout__created_at__gte=since
        )
        until = self._read_since.get(livemode)
        if until is not None:
            if until <= since:
                return
            orders = orders.filter(payout__created_at__lt=until)
        candidates = orders.filter(_any("iregex", _A_REFERENCE) | _any("regex", _NOT_ASCII))
        rows = candidates.values_list("pk", "payout__created_at", *_WORDS)
        for payout_id, created_at, *words in rows.iterator():
            for reference in _references(words):
                self._held[livemode, reference].append((payout_id, created_at))
        self._read_since[livemode] = since


def _references(words: Iterable[str]) -> set[str]:
    forms = (form for text in words for form in (text, to_bank_characters(text)))
    return references_in(*(_NOT_PLAIN.sub("", form) for form in forms))


def _any(lookup: str, value: str) -> Q:
    return Q(*((f"{field}__{lookup}", value) for field in _WORDS), _connector=Q.OR)
