"""Prove that the audit trail is complete: every entry, the chain, its end, and the triggers."""

from collections.abc import Callable, Iterable, Iterator

from backoffice.audit import CHAINED_FIELDS, HEAD, entry_hash
from backoffice.models import AuditEntry, AuditHead
from core.append_only import missing_triggers
from core.hash_chain import FIRST_HASH, Row, broken_links

CHUNK = 2_000

TRIGGERS = {
    "postgresql": ("audit_append_only", "audit_head_kept", "note_append_only"),
    "sqlite": (
        "audit_head_no_delete",
        "audit_no_delete",
        "audit_no_replace",
        "audit_no_update",
        "note_no_delete",
        "note_no_replace",
        "note_no_update",
    ),
}


Progress = Callable[[int, int], None]


def verify_audit(
    *, anchor: tuple[int, str] | None = None, progress: Progress | None = None
) -> Iterator[str]:
    """Yield a sentence for each fault. Run it within one snapshot of the database.

    `anchor` is the number and hash of an entry as recorded outside, in the log: a recomputed chain
    cannot match it. `progress` is called with the number of entries read, and their total.
    """
    yield from missing_triggers("backoffice", TRIGGERS)
    yield from _check_chain(progress)
    if anchor and not AuditEntry.objects.filter(sequence=anchor[0], hash=anchor[1]).exists():
        yield f"Audit entry {anchor[0]} is not the one that was noted."


def is_entry_altered(entry: AuditEntry) -> bool:
    """Return whether an entry, as it was read, is not the one that was chained to the one before.

    Costs one statement. Who recomputed the rest of the chain is found by `verify_audit` alone.
    """
    before = AuditEntry.objects.filter(sequence=entry.sequence - 1).values_list("hash", flat=True)
    previous = before.first() or FIRST_HASH
    return entry.hash != entry_hash(previous, [getattr(entry, name) for name in CHAINED_FIELDS])


def head_of_trail() -> tuple[int, str]:
    """Return the number and hash of the last entry."""
    head = AuditHead.objects.filter(pk=HEAD).first()
    return (head.sequence, head.hash) if head else (0, FIRST_HASH)


def _check_chain(progress: Progress | None) -> Iterator[str]:
    entries = AuditEntry.objects.order_by("sequence")
    rows = entries.values_list("sequence", "hash", *CHAINED_FIELDS).iterator(chunk_size=CHUNK)
    counted = _counted(rows, progress) if progress else rows
    for sequence, row in broken_links(counted, first=1, expected_hash=_expected_hash):
        yield f"Audit entry {sequence} {'is missing' if row is None else 'was changed'}."
    end = entries.values_list("sequence", "hash").last() or (0, FIRST_HASH)
    if head_of_trail() != end:
        yield f"The audit trail ends at entry {end[0]}, but {head_of_trail()[0]} were written."


def _counted(rows: Iterable[Row], progress: Progress) -> Iterator[Row]:
    total = head_of_trail()[0]
    for count, row in enumerate(rows, start=1):
        if count % CHUNK == 0:
            progress(count, total)
        yield row


def _expected_hash(previous: str, row: Row) -> str:
    return entry_hash(previous, row[2:])
