"""The hash of an entry covers all that the entry says, and the entry before it."""

import pytest

from backoffice.audit import CHAINED_FIELDS, entry_hash

PREVIOUS = "0" * 64
VALUES: list[object] = [
    7, "2026-03-04T05:06:07.089Z", "staff:pat", "support", "refund", "done", "payment", "pay_1",
    {"status": "completed"}, {"status": "refunded"}, "Cold coffee", "Pat called", "", "192.0.2.1",
    "req_1",
]  # fmt: skip
COLUMNS = (
    "sequence", "at", "actor", "roles", "act", "outcome", "subject_type", "subject_id", "before",
    "after", "reason", "note", "error", "address", "request_id",
)  # fmt: skip


def test_it_covers_every_column() -> None:
    assert CHAINED_FIELDS == COLUMNS


@pytest.mark.parametrize("column", COLUMNS)
def test_a_change_of_a_column_changes_the_hash(column: str) -> None:
    place = COLUMNS.index(column)
    changed = [*VALUES]
    changed[place] = {"status": "else"} if column in ("before", "after") else "something else"

    assert entry_hash(PREVIOUS, changed) != entry_hash(PREVIOUS, VALUES)


def test_another_entry_before_it_changes_the_hash() -> None:
    assert entry_hash("1" * 64, VALUES) != entry_hash(PREVIOUS, VALUES)
