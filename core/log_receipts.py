"""Receipts of the log: a transaction's leaves, and the proof that a signed head includes them.

A receipt is JSON, and checking it takes nothing of ours but the public key.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.merkle import leaf_hash, root_by_inclusion
from core.signed_notes import LogHead, NoteVerifier

PROVEN, PENDING = "proven", "pending"


class ReceiptRefused(Exception):
    """A receipt proves nothing. The text says why."""


def head_of(checkpoint: str, keys: Sequence[NoteVerifier]) -> LogHead:
    """Return the head that a checkpoint signs. Raises ReceiptRefused if none of the keys did."""
    if not any(key.has_signed(checkpoint) for key in keys):
        raise ReceiptRefused("No key that is known has signed its checkpoint.")
    try:
        return LogHead.parse(checkpoint)
    except ValueError:
        raise ReceiptRefused("Its checkpoint names no head.") from None


def proven_entries(
    receipt: Mapping[str, Any], keys: Sequence[NoteVerifier]
) -> list[dict[str, Any]]:
    """Return what each leaf of a receipt says.

    Raises ReceiptRefused unless each leads to a head that one of the keys has signed, and belongs
    to the transaction that the receipt names.
    """
    try:
        head = head_of(receipt["checkpoint"], keys)
        entries = [_proven_entry(leaf, head) for leaf in receipt["leaves"]]
        transactions = {entry["transaction_id"] for entry in entries}
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ReceiptRefused("It is no receipt.") from None
    if transactions != {receipt.get("transaction_id")}:
        raise ReceiptRefused("Its leaves are of another transaction.")
    return entries


def _proven_entry(leaf: Mapping[str, Any], head: LogHead) -> dict[str, Any]:
    path = [base64.b64decode(step, validate=True) for step in leaf["path"]]
    digest = leaf_hash(leaf["entry"].encode())
    if not 0 <= leaf["index"] < head.size or head.root != root_by_inclusion(
        digest, index=leaf["index"], size=head.size, path=path
    ):
        raise ReceiptRefused(f"Leaf {leaf['index']} does not lead to the head that was signed.")
    entry: dict[str, Any] = json.loads(leaf["entry"])
    return entry
