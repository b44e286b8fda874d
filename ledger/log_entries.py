"""The form of the log's entries: what the hash of a leaf covers. It never changes.

An entry is a JSON object with sorted keys and no spaces. That of a transfer holds all its meaning,
so that the payee can read it; that of any other row holds only its key and its signature.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from core.signatures import instant_text

OPENING = "opening"  # the first leaf: the end of the chain as it was when the log began
RESTORED = "restored"  # the database was restored from a backup that ends before this leaf
DELETED = "deleted"  # what the last signature of a deleted row covers
TRANSFER = "ledger_transfer"

# The columns read for a transfer's entry, each with its name in the entry.
TRANSFER_ENTRY = {
    "pk": "id",
    "transaction_id": "transaction_id",
    "kind": "movement",
    "reference": "reference",
    "amount": "amount",
    "currency": "currency",
    "livemode": "livemode",
    "description": "description",
    "created_at": "created_at",
    "debit_account__owner": "debit_owner",
    "debit_account__purpose": "debit_purpose",
    "credit_account__owner": "credit_owner",
    "credit_account__purpose": "credit_purpose",
}


def restored_values(index: int) -> tuple[object, ...]:
    """Return what is signed for a leaf that records a restore."""
    return (RESTORED, index)


def row_entry(kind: str, subject: str, signature: str) -> bytes:
    """Return the entry of a row that is only named, without its contents."""
    return _dumped({"kind": kind, "id": subject, "signature": signature})


def transfer_entry(values: Sequence[Any], signature: str) -> bytes:
    """Return the entry of a transfer from the values of TRANSFER_ENTRY."""
    named = dict(zip(TRANSFER_ENTRY.values(), values, strict=True))
    named["created_at"] = instant_text(named["created_at"])
    return _dumped({"kind": TRANSFER, "signature": signature} | named)


def _dumped(entry: dict[str, Any]) -> bytes:
    return orjson.dumps(entry, option=orjson.OPT_SORT_KEYS)
