"""The connections have the limits and guarantees that the rest of the code relies on."""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def _value(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("foreign_keys", 1), ("recursive_triggers", 1)],
)
def test_sqlite_is_set_up(pragma: str, value: object) -> None:
    assert _value(f"PRAGMA {pragma}") == value


@pytest.mark.postgres
def test_postgresql_gives_up_waiting_for_a_lock() -> None:
    assert _value("SHOW lock_timeout") == "3s"
