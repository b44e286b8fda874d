"""Empty append-only tables between tests that commit: their triggers refuse it, as they should."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from tests.environment import ON_POSTGRESQL


def allow_flush() -> None:
    """Let Django's flush, and nothing else, pass by the triggers of the database."""
    operations: Any = type(connection.ops)
    execute = operations.execute_sql_flush

    def execute_without_triggers(self: object, sql_list: Sequence[str]) -> None:
        before, after = _as_replica() if ON_POSTGRESQL else _without_triggers()
        execute(self, [*before, *sql_list, *after])

    operations.execute_sql_flush = execute_without_triggers


def _as_replica() -> tuple[list[str], list[str]]:
    role = "SET LOCAL session_replication_role"
    return [f"{role} = replica"], [f"{role} = DEFAULT"]


def _without_triggers() -> tuple[list[str], list[str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
    return [f"DROP TRIGGER {name}" for name, _ in triggers], [sql for _, sql in triggers]
