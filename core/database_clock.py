"""The database's clock decides what is due, so that a wrong clock on one machine does no harm."""

from datetime import datetime

from django.db import connection
from django.db.models.functions import Now

from core.clock import utc_now


def database_now() -> datetime:
    """Return the database's time. SQLite runs in this process: its clock is ours."""
    if connection.vendor != "postgresql":
        return utc_now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        instant: datetime = cursor.fetchone()[0]
    return instant


def due_immediately() -> Now | datetime:
    """Return a value for `next_attempt_at`: due at once by the database's clock.

    SQLite compares instants as text, and formats a full second differently from Django.
    """
    return Now() if connection.vendor == "postgresql" else utc_now()
