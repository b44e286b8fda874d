"""Application-level locks, identified by number: they guard what no single row represents."""

from django.db import connection


def hold_lock(number: int, *, patient: bool = True) -> bool:
    """Hold a lock until the transaction ends, waiting for any other transaction that holds it.

    With `patient=False`, return False at once instead of waiting. SQLite has one writer anyway.
    """
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        if patient:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])
