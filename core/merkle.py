"""The Merkle tree of RFC 9162: roots, proofs of inclusion, proofs of consistency.

Nothing here stores anything. `Nodes` returns the hash of a complete subtree, given its level, 0 for
leaves, and its position in that level.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeAlias

Nodes: TypeAlias = Callable[[int, int], bytes]

EMPTY_ROOT = hashlib.sha256().digest()


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the root over subtrees of one level, whose number must be a power of two."""
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=True)
        hashes = [node_hash(left, right) for left, right in pairs]
    return hashes[0]


def root(size: int, nodes: Nodes) -> bytes:
    """Return the root of the first `size` leaves."""
    return _root(0, size, nodes) if size else EMPTY_ROOT


def inclusion_path(index: int, size: int, nodes: Nodes) -> list[bytes]:
    """Return the hashes that lead from a leaf to the root of the first `size` leaves."""
    begin, end, path = 0, size, []
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            path.append(_root(middle, end, nodes))
            end = middle
        else:
            path.append(_root(begin, middle, nodes))
            begin = middle
    return path[::-1]


def consistency_path(old: int, size: int, nodes: Nodes) -> list[bytes]:
    """Return the hashes that prove that `size` leaves begin with the same `old` ones."""
    begin, end, path, is_whole = 0, size, [], True
    if old in (0, size):
        return []
    while old != end:
        middle = begin + _split(end - begin)
        if old <= middle:
            path.append(_root(middle, end, nodes))
            end = middle
        else:
            path.append(_root(begin, middle, nodes))
            begin, is_whole = middle, False
    if not is_whole:
        path.append(_root(begin, end, nodes))
    return path[::-1]


def root_by_inclusion(leaf: bytes, *, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a path leads to; None if the path is of another tree."""
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            found = node_hash(step, found)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, step)
        place, last = place >> 1, last >> 1
    return found if last == 0 else None


def _root(begin: int, end: int, nodes: Nodes) -> bytes:
    """Return the root over leaves `begin` to `end`; a subtree of that size may begin there."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return nodes(level, begin >> level)
    middle = begin + _split(count)
    return node_hash(_root(begin, middle, nodes), _root(middle, end, nodes))


def _split(count: int) -> int:
    """Return the largest power of two below a count of two or more."""
    return 1 << ((count - 1).bit_length() - 1)
