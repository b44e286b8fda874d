"""The log as it is stored: leaves, the subtrees above them, and the roots that follow from them."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Max

from core import merkle
from ledger.log_models import LogLeaf, LogSubtree

TIER_LEVELS = 8  # each tier stores the subtrees this many levels above the one below
TIER_WIDTH = 1 << TIER_LEVELS
TIERS = 7  # the highest holds 2^56 leaves


def log_size() -> int:
    """Return how many leaves the log has."""
    newest = LogLeaf.objects.aggregate(newest=Max("index"))["newest"]
    return 0 if newest is None else newest + 1


def log_root(size: int) -> bytes:
    """Return the root over the first `size` leaves."""
    return merkle.root(size, stored_node)


def append_leaves(entries: Iterable[tuple[LogLeaf, bytes]], *, now: datetime) -> int:
    """Append leaves, each with the bytes of its entry; return how many.

    The caller holds the sealer's lock, so there is one writer.
    """
    first = log_size()
    leaves = []
    for index, (leaf, entry) in enumerate(entries, start=first):
        leaf.index, leaf.hash, leaf.logged_at = index, merkle.leaf_hash(entry), now
        leaves.append(leaf)
    LogLeaf.objects.bulk_create(leaves)
    complete_subtrees(first, first + len(leaves))
    return len(leaves)


def stored_node(level: int, position: int) -> bytes:
    """Return the hash of a complete subtree, from the nearest stored hashes below it."""
    tier, above = divmod(level, TIER_LEVELS)
    return merkle.fold(hashes_of(tier, position << above, (position + 1) << above))


def hashes_of(tier: int, first: int, end: int) -> Sequence[bytes]:
    """Return stored hashes: of leaves, or of the subtrees of a tier. Raises BrokenLog."""
    if tier == 0:
        leaves = LogLeaf.objects.filter(index__gte=first, index__lt=end).order_by("index")
        found = [bytes(leaf) for leaf in leaves.values_list("hash", flat=True)]
    else:
        subtrees = LogSubtree.objects.filter(tier=tier, position__gte=first, position__lt=end)
        ordered = subtrees.order_by("position")
        found = [bytes(subtree) for subtree in ordered.values_list("hash", flat=True)]
    return _whole(found, end - first)


def _whole(hashes: list[bytes], count: int) -> list[bytes]:
    if len(hashes) != count:
        raise BrokenLog(f"{len(hashes)} of {count} hashes are left.")
    return hashes


class BrokenLog(Exception):
    """Part of the log is missing."""


def complete_subtrees(before: int, size: int) -> None:
    """Store the subtrees that the newest leaves have completed."""
    tier = 1
    while size >= TIER_WIDTH**tier:
        first, end = before // TIER_WIDTH**tier, size // TIER_WIDTH**tier
        LogSubtree.objects.bulk_create(
            LogSubtree(
                tier=tier,
                position=position,
                hash=merkle.fold(
                    hashes_of(tier - 1, position * TIER_WIDTH, (position + 1) * TIER_WIDTH)
                ),
            )
            for position in range(first, end)
        )
        tier += 1
