"""Empty the tables between tests that commit, quickly, and past triggers that refuse it.

Django's own flush truncates every table and makes permissions and content types anew, which takes
a third of a second. On PostgreSQL this one deletes from the tables that hold something; a database
of SQLite is so small that it is written over by a copy of the migrated one.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

from tests import template
from tests.run_environment import ON_POSTGRESQL

# Rows that migrations made, or that follow from the code.
KEPT = {
    "auth_group",
    "auth_group_permissions",
    "auth_permission",
    "django_content_type",
    "django_migrations",
}


def allow_flush() -> None:
    """Replace what Django does after a test that commits."""
    case: Any = TransactionTestCase
    case._fixture_teardown = lambda self: empty_tables()


def empty_tables() -> None:
    """Leave no more rows than the migrations do."""
    if ON_POSTGRESQL:
        _delete_rows()
        return
    with transaction.atomic():  # the copying would wait for ever for a test's own open transaction
        pass
    _migrated().backup(connection.connection)


@cache
def _migrated() -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    # Without the mode, a file that is gone would be made anew, empty.
    with closing(sqlite3.connect(f"file:{template.kept()}?mode=ro", uri=True)) as kept:
        kept.backup(memory)
    return memory


def _delete_rows() -> None:
    """Delete the rows of all tables but those kept."""
    with transaction.atomic(), connection.cursor() as cursor, _without_triggers(cursor):
        for table in _filled(cursor):
            cursor.execute(f'DELETE FROM "{table}"')


def _filled(cursor: CursorWrapper) -> list[str]:
    names = set(connection.introspection.django_table_names(only_existing=True)) - KEPT
    looks = [f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in sorted(names)]
    cursor.execute(" UNION ALL ".join(looks))
    return [name for (name,) in cursor.fetchall()]


@contextmanager
def _without_triggers(cursor: CursorWrapper) -> Iterator[None]:
    """Let deletions pass: constraints hold afterwards all the same, everything being gone."""
    cursor.execute("SET LOCAL session_replication_role = replica")
    yield
