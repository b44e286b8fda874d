"""Locks of the application, each known by its number: they guard what no single row stands for."""

from django.db import connection


def hold_lock(number: int, *, patient: bool = True) -> bool:
    """Hold a lock until the transaction ends, as soon as no other transaction holds it.

    Without patience: False, at once, where another does. SQLite has one writer anyway.
    """
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        if patient:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])
