"""A migration that was released stays as it is: a database that has run it never runs it again."""

import pytest

from tests.released_migrations import ROOT, hash_of, released


@pytest.mark.parametrize(
    ("path", "digest"), sorted(released().items()), ids=lambda item: item[-40:]
)
def test_a_released_migration_is_never_rewritten(path: str, digest: str) -> None:
    assert hash_of(ROOT / path) == digest


def test_every_room_with_tables_has_some() -> None:
    assert len(released()) >= 19
