"""Prove that the audit trail is whole: every entry, the chain, its end, and the triggers."""

from collections.abc import Iterator

from django.db import connection

from backoffice.audit import CHAINED_FIELDS, FIRST_HASH, HEAD, entry_hash
from backoffice.models import AuditEntry, AuditHead

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
ACTIVE = {
    "postgresql": """
        SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relname LIKE 'backoffice%' AND NOT tgisinternal AND tgenabled IN ('O', 'A')
    """,
    "sqlite": """
        SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE 'backoffice%'
    """,
}


def verify_audit(*, anchor: tuple[int, str] | None = None) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong. Belongs in one snapshot of the database.

    `anchor` is the number and hash of an entry as noted outside, in the log: no chain computed
    anew gets past it.
    """
    yield from _check_triggers()
    yield from _check_chain()
    if anchor and not AuditEntry.objects.filter(sequence=anchor[0], hash=anchor[1]).exists():
        yield f"Entry {anchor[0]} is not the one that was noted."


def head_of_trail() -> tuple[int, str]:
    """Return the number and hash of the last entry."""
    head = AuditHead.objects.filter(pk=HEAD).first()
    return (head.sequence, head.hash) if head else (0, FIRST_HASH)


def _check_triggers() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(ACTIVE[connection.vendor])
        active = {name for (name,) in cursor.fetchall()}
    for name in TRIGGERS[connection.vendor]:
        if name not in active:
            yield f"Trigger {name} is missing or switched off."


def _check_chain() -> Iterator[str]:
    expected, previous = 1, FIRST_HASH
    rows = AuditEntry.objects.order_by("sequence").values_list(*CHAINED_FIELDS, "hash")
    for *values, digest in rows.iterator(chunk_size=CHUNK):
        sequence = values[0]
        if sequence != expected:
            yield f"Entry {expected} is missing."
        elif digest != entry_hash(previous, values):
            yield f"Entry {sequence} was changed."
        expected, previous = sequence + 1, digest
    last, digest = head_of_trail()
    if (last, digest) != (expected - 1, previous):
        yield f"The trail ends at entry {expected - 1}, but {last} were written."
