"""A table of PostgreSQL with one index alone, to see whether a query can be read by it."""

from django.db import connection
from django.db.models import Model


def leave_only(index: str, model: type[Model]) -> None:
    """Let PostgreSQL read by this index if it can. Of an almost empty table, any costs as little.

    A primary key goes too: it has the order of many lists, and reads as few rows.
    """
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass"
            " AND contype IN ('p', 'u', 'x')",
            [table],
        )
        for (constraint,) in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint} CASCADE")
        cursor.execute(
            "SELECT indexrelid::regclass::text FROM pg_index"
            " WHERE indrelid = %s::regclass AND indexrelid <> %s::regclass",
            [table, index],
        )
        for (other,) in cursor.fetchall():
            cursor.execute(f"DROP INDEX {other}")
