"""Rows written as they are, by statements that are worked out once per table.

PostgreSQL does several in one round trip. They do not see what the others have written, and may be
done in any order: what builds on another's key needs a statement of its own.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from django.db import connection
from django.db.models import Model
from django.db.models.fields import Field

from core.signatures import signature_field

_Fields: TypeAlias = tuple["Field[Any, Any]", ...]


class Write(NamedTuple):
    """A statement that changes rows of one table."""

    sql: str
    params: list[Any]


def insertion_of(*rows: Model) -> Write:
    """Return the statement that inserts rows of one model; a counted key is not read back."""
    start, row_places, fields = _insertion(type(rows[0]))
    signature = signature_field(type(rows[0]))
    for row in rows:
        if signature is not None:
            signature.pre_save(row, add=True)
    params = [_value(row, field) for row in rows for field in fields]
    for row in rows:
        row._state.adding = False
        row._state.db = connection.alias
    return Write(start + ", ".join([row_places] * len(rows)), params)


def update_of(row: Model, *names: str) -> Write:
    """Return the statement that writes these fields of a row."""
    sql, fields = _update(type(row), names)
    return Write(sql, [_value(row, field) for field in fields])


def write(*writes: Write) -> int:
    """Send the statements; return how many rows the last one has written."""
    if connection.vendor == "postgresql":
        writes = (_together(writes),)
    with connection.cursor() as cursor:
        for sql, params in writes:
            cursor.execute(sql, params)
        return int(cursor.rowcount)


def _together(writes: Sequence[Write]) -> Write:
    *first, last = writes
    named = ", ".join(f"w{number} AS ({one.sql})" for number, one in enumerate(first))
    sql = f"WITH {named} {last.sql}" if first else last.sql
    return Write(sql, [param for one in writes for param in one.params])


@cache
def _insertion(model: type[Model]) -> tuple[str, str, _Fields]:
    counted = model._meta.auto_field
    fields = tuple(field for field in model._meta.concrete_fields if field is not counted)
    columns = ", ".join(_quoted(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = _quoted(model._meta.db_table)
    return f"INSERT INTO {table} ({columns}) VALUES ", f"({places})", fields  # noqa: S608  # our names


@cache
def _update(
    model: type[Model], names: tuple[str, ...]
) -> tuple[str, tuple["Field[Any, Any]", ...]]:
    key: Any = model._meta.pk
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    changes = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    table = _quoted(model._meta.db_table)
    sql = f"UPDATE {table} SET {changes} WHERE {_quoted(key.column)} = %s"  # noqa: S608  # our names
    return sql, (*fields, key)


def _value(row: Model, field: "Field[Any, Any]") -> Any:
    value = getattr(row, field.attname)
    return None if value is None else field.get_db_prep_save(value, connection)


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")
