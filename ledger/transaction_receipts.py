"""Receipts: they prove to anyone, without our help, that a transaction is in the log."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from core import merkle
from core.log_receipts import PENDING, PROVEN
from ledger.checkpoints import newest_checkpoint
from ledger.log_entries import TRANSFER, TRANSFER_ENTRY, transfer_entry
from ledger.log_models import Checkpoint, LogLeaf
from ledger.log_tree import stored_node
from ledger.models import Transfer


@dataclass(frozen=True, kw_only=True)
class ReceiptLeaf:
    """A leaf, the bytes that it is the hash of, and the path from it to the head."""

    index: int
    entry: str
    path: list[str]


@dataclass(frozen=True, kw_only=True)
class LogReceipt:
    """What is proven of a transaction; `pending` until a signed head covers all its leaves."""

    transaction_id: str
    status: str
    checkpoint: str | None = None
    leaves: list[ReceiptLeaf] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contents of a receipt file."""
        leaves = [vars(leaf) for leaf in self.leaves or ()]
        return {
            "transaction_id": self.transaction_id,
            "status": self.status,
            "checkpoint": self.checkpoint or "",
            "leaves": leaves,
        }


def receipt_of(transaction_id: str, transfers: QuerySet[Transfer]) -> LogReceipt:
    """Return the receipt of these transfers of a transaction, by the newest signed head."""
    rows = {str(row[0]): row for row in transfers.values_list(*TRANSFER_ENTRY)}
    head = newest_checkpoint()
    leaves = list(_leaves(rows, head)) if head else []
    if head is None or len(leaves) < len(rows):
        return LogReceipt(transaction_id=transaction_id, status=PENDING)
    return LogReceipt(
        transaction_id=transaction_id, status=PROVEN, checkpoint=head.note, leaves=leaves
    )


def _leaves(rows: dict[str, tuple[Any, ...]], head: Checkpoint) -> Iterator[ReceiptLeaf]:
    found = LogLeaf.objects.filter(kind=TRANSFER, subject__in=list(rows), index__lt=head.size)
    for leaf in found.order_by("index"):
        path = merkle.inclusion_path(leaf.index, head.size, stored_node)
        yield ReceiptLeaf(
            index=leaf.index,
            entry=transfer_entry(rows[leaf.subject], leaf.signature).decode(),
            path=[base64.b64encode(step).decode() for step in path],
        )
