"""After a restore from a backup: the log continues from the end of the backup, and records that."""

from datetime import datetime

from django.db import transaction

from core.signatures import sign
from ledger.log_entries import RESTORED, restored_values, row_entry
from ledger.log_models import LogLeaf
from ledger.log_tree import append_leaves, log_size
from ledger.sealing import SealerBusy, hold_chain


@transaction.atomic
def note_restore(*, now: datetime) -> int | None:
    """Append a leaf that records that the database was restored; return its index.

    None if the log has not begun. Raises SealerBusy.
    """
    if not hold_chain(now):
        raise SealerBusy
    index = log_size()
    if not index:
        return None
    leaf = LogLeaf(kind=RESTORED, subject=str(index), signature=sign(restored_values(index)))
    append_leaves([(leaf, row_entry(RESTORED, leaf.subject, leaf.signature))], now=now)
    return index
