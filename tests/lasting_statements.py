"""Statements that stay prepared from one test to the next, as they do for a process that serves.

Each test ends with a ROLLBACK, after which psycopg forgets what is prepared, lest a table be
another by then. Nearly each statement of a test was so parsed and planned anew. Here only changes
of tables end what is prepared.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from psycopg import _connection_base
from psycopg._preparing import Prepare, PrepareManager

# Statuses of what ends them, as psycopg has it, but for ROLLBACK.
ENDING = (b"ALTER", b"DROP", b"DEALLOCATE ALL", b"DISCARD ALL")


class LastingStatements(PrepareManager):
    """Forgets nothing at a ROLLBACK, and keeps more than a process of the service needs."""

    prepared_max = 2_000

    def clear(self) -> bool:
        return False

    def _should_discard(self, prep: Prepare, results: Sequence[Any], *_: Any) -> bool:
        statuses = [result.command_status or b"" for result in results]
        return any(each.startswith(ENDING) for each in statuses) and super().clear()


def forget_prepared() -> None:
    """Forget what earlier tests have prepared."""
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")


def keep_prepared() -> None:
    """Let what connections prepare from now on last."""
    connections: Any = _connection_base
    connections.PrepareManager = LastingStatements
