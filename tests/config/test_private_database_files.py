"""On a shared machine, no other account reads the SQLite file, nor keeps its turn to write."""

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_IMODE

import pytest
from django.db import connections

from config.sqlite.base import DatabaseWrapper
from config.sqlite.turns import turns_of

pytestmark = [pytest.mark.sqlite, pytest.mark.django_db]
FILES = ["file", "file-next", "file-shm", "file-turn", "file-wal"]


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    usual = os.umask(0o022)
    yield
    os.umask(usual)


def _modes_while_open(file: Path) -> dict[str, int]:
    """Return the permissions of all files that a connection which writes uses."""
    settings = connections["default"].settings_dict | {"NAME": str(file)}
    connection = DatabaseWrapper(settings, "private")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS session (key)")
        cursor.execute("INSERT INTO session VALUES ('a')")
    modes = {path.name: S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    connection.close()
    return modes


def test_new_ones_are_the_owners_alone(tmp_path: Path) -> None:
    """Any account read the sessions of staff in them, and was an Administrator."""
    modes = _modes_while_open(tmp_path / "file")

    assert modes == dict.fromkeys(FILES, 0o600)


def test_those_of_an_earlier_release_are_taken_from_others_only(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).touch(mode=0o644)
    turns_of(str(tmp_path / "file"))

    modes = _modes_while_open(tmp_path / "file")

    assert set(modes.values()) == {0o640}
