"""Prove the log: every leaf from its row, every subtree from its leaves, every head from both."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.apps import apps
from django.db.models import Exists, F, OuterRef

from core import merkle
from core.among import Among
from core.signatures import AT_UPGRADE, is_signed
from core.signed_notes import LogHead
from ledger.checkpoints import is_ours
from ledger.log_entries import (
    DELETED,
    OPENING,
    RESTORED,
    TRANSFER,
    TRANSFER_ENTRY,
    restored_values,
    row_entry,
    transfer_entry,
)
from ledger.log_models import Checkpoint, LogLeaf, LogSubtree
from ledger.log_tree import TIER_WIDTH, TIERS, BrokenLog, hashes_of, log_root, log_size
from ledger.logging_rows import opening_values
from ledger.models import Seal, Transfer
from ledger.proof_marks import Finding, ProvenUpTo
from ledger.reconciliation import CHUNK
from ledger.signed_row_checks import keys_in, log_has_begun, name_of, newest_signatures
from ledger.snapshot import snapshot

HEADS_AT_ONCE = 100
FEWER = "has fewer leaves by now."
_SUBTREE = ("position", "hash")
LEAVES_AT_ONCE = 64 * TIER_WIDTH
_LEAF = ("index", "kind", "subject", "signature", "hash")


@dataclass(slots=True)
class _Leaf:
    """A leaf as the proof reads it."""

    index: int
    kind: str
    subject: str
    signature: str
    hash: bytes


def check_head(size: int, root: bytes, name: str) -> Iterator[str]:
    """Yield a sentence unless the present log begins with the tree of this head."""
    try:
        if log_root(size) != root:
            yield f"{name} {size} is not of this log: what it covers was changed since."
    except BrokenLog:
        yield f"{name} {size} is not of this log: it {FEWER}"


def check_opening() -> Iterator[str]:
    """Check that the log has begun, and that its first leaf records how the chain stood then."""
    if not log_has_begun():
        yield "The log has not begun: `manage.py sign_ledger` signs what was there before it."
    opening = LogLeaf.objects.filter(index=0).first()
    if opening is None:
        return
    if opening.kind != OPENING or not opening.subject.isdecimal():
        yield "Leaf 0 does not begin the log."
        return
    head = Seal.objects.filter(sequence=opening.subject).first()
    if head is None or not is_signed(opening.signature, opening_values(head)):
        yield "Leaf 0 does not say how the chain stood when the log began."


def check_heads(mark: str = "") -> Iterator[Finding]:
    """Check that each checkpoint of at least `mark` leaves was signed by us and still holds."""
    rows = Checkpoint.objects.order_by("size")
    first = int(mark or 0)
    while heads := list(rows.filter(size__gte=first)[:HEADS_AT_ONCE]):
        for head in heads:
            yield from check_head(head.size, bytes(head.root), "Checkpoint")
            if not _is_signed_so(head):
                yield f"Checkpoint {head.size} is not as it was signed."
        first = heads[-1].size + 1
        yield ProvenUpTo(str(first))


def _is_signed_so(head: Checkpoint) -> bool:
    """Return whether the note, which is sent with webhooks, is ours and says the same."""
    if not is_ours(head.note):
        return False
    signed = LogHead.parse(head.note)
    return (signed.size, signed.root) == (head.size, bytes(head.root))


def check_leaves(mark: str = "") -> Iterator[Finding]:
    """Recompute each leaf, with a snapshot per chunk: leaves are never changed, only added."""
    first, size = int(mark or 0), log_size()
    if size < first:
        yield f"The log has {size} leaves, of {first} that were proven before."
    for start in range(first, size, CHUNK):
        with snapshot():
            yield from _check_chunk(_leaves(start, start + CHUNK), start)
        yield ProvenUpTo(str(min(start + CHUNK, size)))


def _leaves(first: int, end: int) -> list[_Leaf]:
    leaves = LogLeaf.objects.filter(index__gte=first, index__lt=end).order_by("index")
    return [_Leaf(*row) for row in leaves.values_list(*_LEAF)]


def _check_chunk(leaves: Sequence[_Leaf], first: int) -> Iterator[str]:
    for index, leaf in enumerate(leaves, start=first):
        if leaf.index != index:
            yield f"Leaf {index} is missing."
            return
    transfers = _transfers(leaf for leaf in leaves if leaf.kind == TRANSFER)
    for leaf in leaves:
        entry = (
            transfers.get((leaf.subject, leaf.signature))
            if leaf.kind == TRANSFER
            else row_entry(leaf.kind, leaf.subject, leaf.signature)
        )
        if entry is None:
            yield f"Transfer {leaf.subject} is missing; leaf {leaf.index} holds it."
        elif merkle.leaf_hash(entry) != leaf.hash:
            yield f"{_name(leaf)} or its leaf {leaf.index} was changed."
        elif leaf.kind == RESTORED and not is_signed(leaf.signature, restored_values(leaf.index)):
            yield f"Leaf {leaf.index} says that the database was restored; the service did not."
    yield from _check_missing_rows(leaves)


def _transfers(leaves: Iterator[_Leaf]) -> dict[tuple[str, str], bytes]:
    """Return the entries of transfers, by the subject and signature of their leaves."""
    signatures = {leaf.subject: leaf.signature for leaf in leaves}
    rows = Transfer.objects.filter(Among(F("pk"), keys_in(Transfer, signatures)))
    entries = {}
    for row in rows.values_list(*TRANSFER_ENTRY):
        signature = signatures[str(row[0])]
        entries[str(row[0]), signature] = transfer_entry(row, signature)
    return entries


def _check_missing_rows(leaves: Sequence[_Leaf]) -> Iterator[str]:
    subjects: dict[str, dict[str, int]] = defaultdict(dict)
    for leaf in leaves:
        subjects[leaf.kind][leaf.subject] = leaf.index
    models = {model._meta.db_table: model for model in apps.get_models()}
    for kind, logged in subjects.items():
        if kind in (OPENING, RESTORED, TRANSFER):
            continue
        if kind not in models:
            yield f"Leaf {min(logged.values())} is of {kind}, and there is no such table."
            continue
        keys = keys_in(models[kind], logged)
        there = models[kind]._base_manager.filter(Among(F("pk"), keys))
        gone = logged.keys() - {str(pk) for pk in there.values_list("pk", flat=True)}
        newest = newest_signatures(kind, gone) if gone else {}
        for subject in sorted(gone):
            if not is_signed(newest.get(subject), (kind, subject, DELETED)):
                name = name_of(models[kind], subject)
                yield f"{name} is missing; leaf {logged[subject]} names it."


def check_subtrees(mark: str = "") -> Iterator[Finding]:
    """Recompute each subtree that ends at leaf `mark` or later from the hashes below it."""
    size = log_size()
    for start in range(int(mark or 0), size, LEAVES_AT_ONCE):
        end = min(start + LEAVES_AT_ONCE, size)
        for tier in range(1, TIERS + 1):
            yield from _check_tier(tier, start, end)
        yield ProvenUpTo(str(end))


def _check_tier(tier: int, start: int, end: int) -> Iterator[str]:
    """Check those subtrees of a tier whose last leaf lies between `start` and `end`."""
    width = TIER_WIDTH**tier
    first, last = start // width, end // width
    stored = LogSubtree.objects.filter(tier=tier, position__gte=first, position__lt=last)
    hashes = {position: bytes(digest) for position, digest in stored.values_list(*_SUBTREE)}
    if hashes != _folded(tier, first, last):
        for position in range(first, last):
            if hashes.get(position) not in _folded(tier, position, position + 1).values():
                yield f"Subtree {tier}/{position} of the log is not that of its leaves."


def _folded(tier: int, first: int, last: int) -> dict[int, bytes]:
    """Return subtrees by position, computed from the hashes below; empty if one is missing."""
    try:
        below = hashes_of(tier - 1, first * TIER_WIDTH, last * TIER_WIDTH)
    except BrokenLog:
        return {}
    starts = range(0, len(below), TIER_WIDTH)
    return {
        first + number: merkle.fold(below[start : start + TIER_WIDTH])
        for number, start in enumerate(starts)
    }


def check_adoptions(mark: str = "") -> Iterator[Finding]:
    """Name each row that had lost its signature when the service changed it."""
    size = log_size()
    before = LogLeaf.objects.filter(
        kind=OuterRef("kind"), subject=OuterRef("subject"), index__lt=OuterRef("index")
    )
    for start in range(int(mark or 0), size, LEAVES_AT_ONCE):
        leaves = LogLeaf.objects.filter(index__gte=start, index__lt=start + LEAVES_AT_ONCE)
        adopted = leaves.filter(Exists(before), signature__contains=f":{AT_UPGRADE}:")
        for leaf in adopted.order_by("index"):
            yield f"{_name(leaf)} had lost its signature by leaf {leaf.index}."
        yield ProvenUpTo(str(min(start + LEAVES_AT_ONCE, size)))


def _name(leaf: _Leaf | LogLeaf) -> str:
    for model in apps.get_models():
        if model._meta.db_table == leaf.kind:
            return name_of(model, leaf.subject)
    return f"{leaf.kind} {leaf.subject}"
