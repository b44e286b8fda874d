"""Turn committed rows into leaves of the log, and open the log if there is none yet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from core.signatures import sign
from ledger.log_entries import DELETED, OPENING, TRANSFER, TRANSFER_ENTRY, row_entry, transfer_entry
from ledger.log_models import LogLeaf, WaitingEntry
from ledger.log_tree import append_leaves
from ledger.models import Seal, Transfer
from ledger.signed_row_checks import log_has_begun


def log_transfers(ids: Sequence[int], *, now: datetime) -> None:
    """Append transfers that were just sealed, in order. The caller holds the chain."""
    if not _is_open(now):
        return
    signatures = dict(Transfer.objects.filter(pk__in=ids).values_list("pk", "signature"))
    older = [str(pk) for pk, signature in signatures.items() if not signature]
    logged = LogLeaf.objects.filter(kind=TRANSFER, subject__in=older) if older else ()
    for leaf in logged:  # signed at the upgrade, before its seal
        del signatures[int(leaf.subject)]
    append_leaves(transfer_leaves(list(signatures), signatures), now=now)


def transfer_leaves(
    ids: Sequence[int], signatures: Mapping[int, str | None]
) -> Iterator[tuple[LogLeaf, bytes]]:
    """Yield a leaf and its entry for each transfer."""
    rows = Transfer.objects.filter(pk__in=ids).order_by("pk").values_list(*TRANSFER_ENTRY)
    for row in rows:
        signature = signatures[row[0]] or ""
        leaf = LogLeaf(kind=TRANSFER, subject=str(row[0]), signature=signature)
        yield leaf, transfer_entry(row, signature)


def log_entries(*, now: datetime, limit: int) -> int:
    """Append waiting entries in order of id; return how many. The caller holds the chain."""
    if not _is_open(now):
        return 0
    waiting = list(WaitingEntry.objects.order_by("pk")[:limit])
    appended = append_leaves((row_leaf(one) for one in waiting), now=now)
    WaitingEntry.objects.filter(pk__in=[one.pk for one in waiting]).delete()
    return appended


def log_deletions(kind: str, subjects: Iterable[str]) -> None:
    """Record, in the caller's transaction, that rows are deleted as their retention ended."""
    WaitingEntry.objects.bulk_create(
        WaitingEntry(kind=kind, subject=subject, signature=sign((kind, subject, DELETED)))
        for subject in subjects
    )


def row_leaf(entry: WaitingEntry) -> tuple[LogLeaf, bytes]:
    """Return the leaf of a waiting entry, and its bytes."""
    named = {"kind": entry.kind, "subject": entry.subject, "signature": entry.signature}
    return LogLeaf(**named), row_entry(**named)


def open_log(head: Seal, *, now: datetime) -> None:
    """Begin the log with the end of the chain, which covers what was sealed before."""
    leaf = LogLeaf(kind=OPENING, subject=str(head.sequence), signature=sign(opening_values(head)))
    entry = row_entry(OPENING, leaf.subject, leaf.signature)
    append_leaves([(leaf, entry)], now=now)


def opening_values(head: Seal) -> tuple[object, ...]:
    """Return what the signature of the first leaf covers."""
    return (OPENING, head.sequence, head.hash)


def _is_open(now: datetime) -> bool:
    """Return whether the log has begun; begin it if every row is signed.

    If there are rows from before signatures, an operator decides when to begin: processes of the
    previous release may still be writing unsigned rows.
    """
    if LogLeaf.objects.exists():
        return True
    if not log_has_begun():
        return False
    open_log(Seal.objects.get(sequence=0), now=now)
    return True
