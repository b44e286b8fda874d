"""Prove the log: every leaf from its row, every subtree from its leaves, every head from both."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.apps import apps
from django.db.models import Exists, OuterRef

from core import merkle
from core.signatures import AT_UPGRADE, is_signed
from ledger.log_entries import (
    DELETED,
    OPENING,
    TRANSFER,
    TRANSFER_ENTRY,
    row_entry,
    transfer_entry,
)
from ledger.log_models import Checkpoint, LogLeaf
from ledger.log_tree import BrokenLog, hashes_below, log_root, log_size, subtrees_from
from ledger.logging_rows import opening_values
from ledger.models import Seal, Transfer
from ledger.reconciliation import CHUNK
from ledger.signed_row_checks import log_has_begun, name_of, newest_signatures
from ledger.snapshot import snapshot


def check_log(*, since: int = 0) -> Iterator[str]:
    """Yield a sentence for each leaf, subtree and head that is wrong, from leaf `since` on."""
    if not log_has_begun():
        yield "The log has not begun: `manage.py sign_ledger` signs what was there before it."
        return
    yield from _check_opening()
    yield from _check_leaves(since)
    yield from _check_subtrees(since)
    yield from _check_late_adoptions(since)
    newer = Checkpoint.objects.filter(size__gte=since)
    for checkpoint in newer.order_by("size").iterator(CHUNK):
        yield from check_head(checkpoint.size, bytes(checkpoint.root), "Checkpoint")


def check_head(size: int, root: bytes, name: str) -> Iterator[str]:
    """Yield a sentence unless the log, as it is now, begins with the tree of this head."""
    try:
        if log_root(size) != root:
            yield f"{name} {size} is not of this log: what it covers was changed since."
    except BrokenLog:
        yield f"{name} {size} is not of this log: it has fewer leaves by now."


def _check_opening() -> Iterator[str]:
    opening = LogLeaf.objects.filter(index=0).first()
    if opening is None:
        return
    if opening.kind != OPENING or not opening.subject.isdecimal():
        yield "Leaf 0 does not begin the log."
        return
    head = Seal.objects.filter(sequence=opening.subject).first()
    if head is None or not is_signed(opening.signature, opening_values(head)):
        yield "Leaf 0 does not say how the chain stood when the log began."


def _check_leaves(since: int) -> Iterator[str]:
    """Compute each leaf again, a chunk in each snapshot: leaves are never changed, only added."""
    size = log_size()
    if size < since:
        yield f"The log has {size} leaves, of {since} that were proven before."
    for first in range(since, size, CHUNK):
        with snapshot():
            leaves = LogLeaf.objects.filter(index__gte=first, index__lt=first + CHUNK)
            yield from _check_chunk(list(leaves.order_by("index")), first)


def _check_chunk(leaves: Sequence[LogLeaf], first: int) -> Iterator[str]:
    for index, leaf in zip(range(first, first + CHUNK), leaves, strict=False):
        if leaf.index != index:
            yield f"Leaf {index} is missing."
            return
    transfers = _transfers(leaf for leaf in leaves if leaf.kind == TRANSFER)
    for leaf in leaves:
        entry = (
            transfers.get(leaf.subject, {}).get(leaf.signature)
            if leaf.kind == TRANSFER
            else row_entry(leaf.kind, leaf.subject, leaf.signature)
        )
        if entry is None:
            yield f"Transfer {leaf.subject} is missing; leaf {leaf.index} holds it."
        elif merkle.leaf_hash(entry) != bytes(leaf.hash):
            yield f"{_name(leaf)} or its leaf {leaf.index} was changed."
    yield from _check_missing_rows(leaves)


def _transfers(leaves: Iterator[LogLeaf]) -> dict[str, dict[str, bytes]]:
    """Return the entries of transfers by key, each under the signature of its leaf."""
    signatures = {leaf.subject: leaf.signature for leaf in leaves}
    rows = Transfer.objects.filter(pk__in=list(signatures)).values_list(*TRANSFER_ENTRY)
    entries: dict[str, dict[str, bytes]] = {}
    for row in rows:
        signature = signatures[str(row[0])]
        entries[str(row[0])] = {signature: transfer_entry(row, signature)}
    return entries


def _check_missing_rows(leaves: Sequence[LogLeaf]) -> Iterator[str]:
    subjects: dict[str, dict[str, int]] = defaultdict(dict)
    for leaf in leaves:
        subjects[leaf.kind][leaf.subject] = leaf.index
    models = {model._meta.db_table: model for model in apps.get_models()}
    for kind, logged in subjects.items():
        if kind in (OPENING, TRANSFER):
            continue
        there = models[kind]._base_manager.filter(pk__in=logged)
        gone = set(logged) - {str(pk) for pk in there.values_list("pk", flat=True)}
        newest = newest_signatures(kind, sorted(gone))
        for subject in sorted(gone):
            if not is_signed(newest.get(subject), (kind, subject, DELETED)):
                name = name_of(models[kind], subject)
                yield f"{name} is missing; leaf {logged[subject]} names it."


def _check_subtrees(since: int) -> Iterator[str]:
    """Compute the hashes of the first tier from the leaves, of each other from the one below."""
    stored = subtrees_from(since)
    for tier, position, digest in stored.values_list("tier", "position", "hash").iterator(CHUNK):
        if not _is_whole(tier, position, bytes(digest)):
            yield f"Subtree {tier}/{position} of the log is not that of its leaves."


def _is_whole(tier: int, position: int, digest: bytes) -> bool:
    try:
        return merkle.fold(hashes_below(tier, position)) == digest
    except BrokenLog:
        return False


def _check_late_adoptions(since: int) -> Iterator[str]:
    """Name each row that had lost its signature when the service changed it."""
    before = LogLeaf.objects.filter(
        kind=OuterRef("kind"), subject=OuterRef("subject"), index__lt=OuterRef("index")
    )
    newer = LogLeaf.objects.filter(index__gte=since)
    adopted = newer.filter(Exists(before), signature__contains=f":{AT_UPGRADE}:")
    for leaf in adopted.order_by("index").iterator(CHUNK):
        yield f"{_name(leaf)} had lost its signature by leaf {leaf.index}."


def _name(leaf: LogLeaf) -> str:
    for model in apps.get_models():
        if model._meta.db_table == leaf.kind:
            return name_of(model, leaf.subject)
    return f"{leaf.kind} {leaf.subject}"
