"""Prove the chain: recompute every seal from its transfer and the previous seal."""

from collections.abc import Iterator

from django.db.models import Max

from core.hash_chain import FIRST_HASH, Row, broken_links
from ledger.chain import SEALED_FIELDS, seal_hash
from ledger.models import Seal
from ledger.proof_marks import Finding, ProvenUpTo
from ledger.reconciliation import CHUNK


def check_chain(mark: str = "") -> Iterator[Finding]:
    """Recompute every seal that exists by now, starting after the mark."""
    head: int = Seal.objects.aggregate(head=Max("sequence", default=-1))["head"]
    first, previous = 0, FIRST_HASH
    if mark:
        proven = Seal.objects.filter(sequence=int(mark)).first()
        if proven is None:
            yield f"Seal {mark} is missing."
            return
        first, previous = proven.sequence + 1, proven.hash
    for start in range(first, head + 1, CHUNK):
        rows = _seals(start, min(start + CHUNK, head + 1))
        yield from _breaks(rows, start, previous)
        previous = rows[-1][1] if rows else previous
        yield ProvenUpTo(str(min(start + CHUNK - 1, head)))


def _seals(first: int, end: int) -> list[Row]:
    seals = Seal.objects.filter(sequence__gte=first, sequence__lt=end).order_by("sequence")
    return list(seals.values_list("sequence", "hash", "sealed_at", *SEALED_FIELDS))


def _breaks(rows: list[Row], first: int, previous: str) -> Iterator[str]:
    found = broken_links(rows, first=first, previous=previous, expected_hash=_expected_hash)
    for sequence, row in found:
        if row is None:
            yield f"Seal {sequence} is missing."
            continue
        _, _, _, transfer_id, transaction_id, *_ = row
        if sequence == 0:
            yield "Seal 0 was changed."
        elif transaction_id is None:
            yield f"Transfer {transfer_id} is missing; seal {sequence} holds it."
        else:
            yield f"Transfer {transfer_id} or its seal {sequence} was changed."


def _expected_hash(previous: str, row: Row) -> str:
    sequence, _, sealed_at, *fields = row
    if sequence == 0:
        return FIRST_HASH
    return seal_hash(previous, sequence=sequence, sealed_at=sealed_at, fields=fields)
