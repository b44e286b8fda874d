"""Refuse to make tables in a PostgreSQL database that does not know all letters."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import ERROR, WARNING, CheckMessage, Error, Tags, register
from django.db import connection

CREATE = "createdb --encoding UTF8 --locale C.UTF-8 --template template0 …"


@register(Tags.database)
def check_characters(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **_: object
) -> list[CheckMessage]:
    """Report, before `migrate` starts, a PostgreSQL database that does not know all letters.

    Search needs both (`core.search`): in another encoding than UTF8 its index would refuse every
    payment; in the locale C, whose letters are those of ASCII, it would not find `École`. Once
    there are tables this is no reason to hold back a release, only to warn.
    """
    if not databases or connection.vendor != "postgresql":
        return []
    if server_encoding() != "UTF8":
        fault = "The encoding of the database must be UTF8."
        return [Error(fault, hint=CREATE, id="payments.E002")]
    knows_letters, is_new = letters()
    if not knows_letters:
        fault = "The locale of the database must know all letters: C does not."
        return [CheckMessage(ERROR if is_new else WARNING, fault, hint=CREATE, id="payments.E003")]
    return []


def server_encoding() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        return str(cursor.fetchone()[0])


def letters() -> tuple[bool, bool]:
    """Return whether PostgreSQL knows letters beyond ASCII, and whether it has no tables yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT upper(chr(228)) = chr(196), to_regclass('django_migrations') IS NULL"
        )
        knows_letters, is_new = cursor.fetchone()
    return knows_letters, is_new
