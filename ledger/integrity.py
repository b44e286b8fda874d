"""Prove the ledger from its own rows, and run what other rooms prove about it."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from core.hash_chain import FIRST_HASH
from ledger.models import Account, Seal, Transfer, UnsealedTransfer
from ledger.proof_marks import ProvenUpTo
from ledger.proof_parts import whole_parts

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """A seal that was noted outside the database, so that a recomputed chain cannot pass."""

    sequence: int
    hash: str


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How much there is to prove, and the current head of the chain."""

    accounts: int
    transfers: int
    waiting: int
    sequence: int
    hash: str


def figures() -> Figures:
    """Count what the ledger holds."""
    head = Seal.objects.order_by("-sequence").first()
    return Figures(
        accounts=Account.objects.count(),
        transfers=Transfer.objects.count(),
        waiting=UnsealedTransfer.objects.count(),
        sequence=head.sequence if head else 0,
        hash=head.hash if head else FIRST_HASH,
    )


def verify(*, progress: Progress, anchor: Anchor | None = None) -> Generator[str]:
    """Yield a sentence for each wrong row; call `progress` with how many seals are done.

    Close it if you stop before the end: it is inside a transaction then.
    """
    if anchor:
        yield from check_anchor(anchor)
    parts = whole_parts()
    for part in parts:
        for found in part.run(""):
            if not isinstance(found, ProvenUpTo):
                yield found
            elif part.name == "chain":
                head = Seal.objects.order_by("-sequence").values_list("sequence", flat=True)
                progress(int(found.mark) + 1, head[0] + 1)


def check_anchor(anchor: Anchor) -> Iterator[str]:
    """Check that a seal noted outside the database is still part of the chain."""
    if not Seal.objects.filter(sequence=anchor.sequence, hash=anchor.hash).exists():
        yield f"Seal {anchor.sequence} is not the one that was noted."
