"""The form of the log's entries: what the hash of a leaf covers. It never changes.

An entry is a JSON object with sorted keys and no spaces. That of a transfer says all it means, so
that who was paid can read it; that of any other row says which one, and its signature.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from core.signatures import instant_text

OPENING = "opening"  # the first leaf: the end of the chain as it was when the log began
RESTORED = "restored"  # the database is that of a backup, which ended before this leaf
DELETED = "deleted"  # what the last signature of a row covers that is gone
TRANSFER = "ledger_transfer"

# How a transfer is read for its entry, and the name of each value in it.
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
    """Return what the signature of a leaf covers that says that the database was restored."""
    return (RESTORED, index)


def row_entry(kind: str, subject: str, signature: str) -> bytes:
    """Return the entry of a row that is named, not told."""
    return _dumped({"kind": kind, "id": subject, "signature": signature})


def transfer_entry(values: Sequence[Any], signature: str) -> bytes:
    """Return the entry of a transfer from the values of TRANSFER_ENTRY."""
    named = dict(zip(TRANSFER_ENTRY.values(), values, strict=True))
    named["created_at"] = instant_text(named["created_at"])
    return _dumped({"kind": TRANSFER, "signature": signature} | named)


def _dumped(entry: dict[str, Any]) -> bytes:
    return orjson.dumps(entry, option=orjson.OPT_SORT_KEYS)
