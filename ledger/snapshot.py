"""Read the ledger as of one instant, while others go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Make every statement inside see the same instant, however long it takes; write nothing.

    Inside an open transaction, that transaction is used as it is.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            yield
    else:
        with _without_write_lock(), transaction.atomic():
            yield


@contextmanager
def _without_write_lock() -> Iterator[None]:
    """Begin SQLite transactions as readers, which do not wait for writers in WAL mode."""
    connection.ensure_connection()
    sqlite: Any = connection
    mode, sqlite.transaction_mode = sqlite.transaction_mode, None
    try:
        yield
    finally:
        sqlite.transaction_mode = mode
