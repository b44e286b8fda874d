"""The words that callers put before what they know: "refund 12.50", "order no. HB-1", "#1042"."""

import re
from dataclasses import dataclass

from django.db.models import Model

from backoffice.models import Instruction
from funding.models import TopUp
from payments.models import Payment
from payouts.models import Payout
from refunds.models import Refund

_KINDS: dict[str, type[Model]] = {
    "payment": Payment,
    "charge": Payment,
    "purchase": Payment,
    "sale": Payment,
    "refund": Refund,
    "payout": Payout,
    "top": TopUp,
    "adjustment": Instruction,
    "correction": Instruction,
}
_KIND = re.compile(
    rf"\b({'|'.join(_KINDS)})(?:s|d|ed|[- ]?ups?|ped up)?(?::|(?:\s+of)?(?!\S))", re.IGNORECASE
)
_BEFORE_NAME = re.compile(
    r"(?:(?:order|invoice|inv|reference|ref|receipt|transaction)\b[.:]?\s*)?"
    r"(?:(?:no|nr|number|id)\b[.:]?\s*)?#?\s*(?=\S)",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"\b(?:api )?keys?\b(?: (?:of|at|(?:that )?end(?:s|ing)?(?: in| with)?)\b)?"
    r"|\bsk_(?:live|test)_\S*(?=\S{4}$)",
    re.IGNORECASE,
)
_BANK_ACCOUNT = re.compile(r"\bbank accounts?\b(?: (?:of|at)\b)?", re.IGNORECASE)


@dataclass(frozen=True)
class AskedFor:
    """A kind of object, and the figures or words by which it was asked for."""

    model: type[Model]
    rest: str


def asked_for(text: str) -> AskedFor | None:
    """Return which kind of money's movement a text with figures asks for; None if it names none."""
    asked = kind_named(text)
    is_with_figures = asked and any(character.isdecimal() for character in asked.rest)
    return asked if is_with_figures else None


def kind_named(text: str) -> AskedFor | None:
    """Return which kind of money's movement a text names, and its other words."""
    found = _KIND.search(text)
    if found is None:
        return None
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    return AskedFor(_KINDS[found[1].lower()], rest)


def bank_account_name(text: str) -> str:
    """Return the name in "bank account reef" or "Reef's bank account"; empty without one."""
    return _beside(_BANK_ACCOUNT, text)


def key_name(text: str) -> str:
    """Return the end of an API key in "key a1B2" or "sk_live_…a1B2", or the shop in "key reef"."""
    return _beside(_KEY, text)


def _beside(asked: re.Pattern[str], text: str) -> str:
    """Return the words of a text beside what it asks for; empty if it does not."""
    rest = asked.sub(" ", text, count=1)
    return "" if rest == text else " ".join(rest.split()).removesuffix("'s").removesuffix("\u2019s")


def bare_name(text: str) -> str:
    """Return the text without words for what it names, such as "order no."; empty if none."""
    begins = _BEFORE_NAME.match(text.strip())
    return text.strip()[begins.end() :] if begins and begins.end() else ""
