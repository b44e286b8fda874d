"""The check of a consistency proof as in RFC 9162: witnesses make it, the service never does."""

from collections.abc import Sequence

from core.merkle import node_hash


def is_consistent(
    *, old: int, old_root: bytes, size: int, new_root: bytes, path: Sequence[bytes]
) -> bool:
    """Return whether the path proves that the tree of `size` begins with the `old` leaves."""
    if old in (0, size):
        return not path and (old == 0 or old_root == new_root)
    steps = [old_root, *path] if old & (old - 1) == 0 else list(path)
    if old > size or not steps:
        return False
    place, last = old - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    return _both_roots(steps, place, last) == (old_root, new_root)


def _both_roots(steps: Sequence[bytes], place: int, last: int) -> tuple[bytes, bytes] | None:
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            return None
        if place & 1 or place == last:
            before, after = node_hash(step, before), node_hash(step, after)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            after = node_hash(after, step)
        place, last = place >> 1, last >> 1
    return (before, after) if last == 0 else None
