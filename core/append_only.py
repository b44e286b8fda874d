"""Triggers that refuse changes to existing rows: whether they are in place, and their text.

Migrations create them in each database's dialect; a proof names any that is missing or off.
"""

from collections.abc import Iterator, Mapping, Sequence

from django.db import connection

ACTIVE = {
    "postgresql": """
        SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relname LIKE %s AND NOT tgisinternal AND tgenabled IN ('O', 'A')
    """,
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name LIKE %s",
}


def active_triggers(room: str) -> set[str]:
    """Return the names of the triggers that guard the tables of a room."""
    with connection.cursor() as cursor:
        cursor.execute(ACTIVE[connection.vendor], [f"{room}%"])
        return {name for (name,) in cursor.fetchall()}


def missing_triggers(room: str, expected: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a sentence for each trigger of `expected`, by vendor, that is missing or off."""
    active = active_triggers(room)
    for name in expected[connection.vendor]:
        if name not in active:
            yield f"Trigger {name} is missing or switched off."


def sqlite_refusal(name: str, event: str, table: str, *, condition: str, advice: str) -> str:
    """Return the SQLite trigger that refuses `event` on rows that meet the condition."""
    return f"""
        CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN {condition}
        BEGIN
            SELECT RAISE(ABORT, '{name}: {advice}');
        END
    """
