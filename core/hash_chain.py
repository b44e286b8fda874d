"""A chain of hashes: each covers the values of its row and the hash before it.

The form never changes, because every hash ever written must stay reproducible. How an instant is
written is part of the form, and differs from chain to chain.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

FIRST_HASH = "0" * 64  # the "previous hash" of the first row

Row = tuple[Any, ...]


def chain_hash(
    previous: str, values: Iterable[object], *, written: Callable[[datetime], str]
) -> str:
    """Return the SHA-256 of the previous hash and the values; `written` formats the instants."""
    text = json.dumps(
        [previous, *values],
        default=written,
        ensure_ascii=True,
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def broken_links(
    rows: Iterable[Row],
    *,
    first: int,
    previous: str = FIRST_HASH,
    expected_hash: Callable[[str, Row], str],
) -> Iterator[tuple[int, Row | None]]:
    """Follow a chain; yield the number of each row that is missing or was changed, and the row.

    It begins with the row `first`, after the hash `previous`. A row is its number, its hash, and
    whatever else `expected_hash` needs, besides the previous hash, to compute it. None stands for a
    missing row.
    """
    expected = first
    for row in rows:
        sequence, digest = row[0], row[1]
        if sequence != expected:
            yield expected, None
        elif digest != expected_hash(previous, row):
            yield sequence, row
        expected, previous = sequence + 1, digest
