"""Write rows by statements that are compiled once per table.

PostgreSQL executes several in one round trip. They do not see each other's writes and may run in
any order: a row that builds on another's key needs a statement of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import (
    BinaryField,
    BooleanField,
    CharField,
    DateTimeField,
    IntegerField,
    Model,
    TextField,
)
from django.db.models.fields import Field
from psycopg.types.numeric import Int8

from core.signatures import signature_field

_PLAIN = (CharField, TextField, BooleanField)


class Write(NamedTuple):
    """A statement that changes rows of one table.

    On PostgreSQL, others sent along with it may read what it returns, under its name.
    """

    sql: str
    params: list[Any]
    name: str = ""


def insertion_of(*rows: Model) -> Write:
    """Return the statement that inserts rows of one model; a serial key is not read back."""
    start, placeholders, values = _insertion(type(rows[0]))
    signature = signature_field(type(rows[0]))
    for row in rows:
        if signature is not None:
            signature.pre_save(row, add=True)
    params = [value for row in rows for value in values.of(row)]
    for row in rows:
        row._state.adding = False
        row._state.db = DEFAULT_DB_ALIAS
    return Write(start + ", ".join([placeholders] * len(rows)), params)


def update_of(row: Model, *names: str) -> Write:
    """Return the statement that writes these fields of a row."""
    sql, values = _update(type(row), names)
    return Write(sql, values.of(row))


def write(*writes: Write) -> int:
    """Send the statements; return how many rows the last one wrote."""
    if connection.vendor == "postgresql":
        writes = (_together(writes),)
    with connection.cursor() as cursor:
        for sql, params, _ in writes:
            cursor.execute(sql, params)
        return int(cursor.rowcount)


class HeldWrites:
    """Writes that wait for a later statement of their transaction, to be sent along with it.

    Django calls it around each statement.
    """

    def __init__(self) -> None:
        self._writes: tuple[Write, ...] = ()
        self._then: Callable[[int], None] | None = None

    def __call__(self, execute: Callable[..., Any], *call: Any) -> Any:
        """Send what waits before any other statement, which may read it."""
        self.send()
        return execute(*call)

    def hold(self, *writes: Write, then: Callable[[int], None]) -> None:
        self.send()
        self._writes, self._then = writes, then

    def send(self, *beside: Write) -> None:
        """Send what waits, together with these."""
        writes, then = (*beside, *self._writes), self._then
        self._writes, self._then = (), None
        count = write(*writes) if writes else 0
        if then is not None:
            then(count)


@contextmanager
def held_writes() -> Iterator[HeldWrites]:
    """Hold what `write_last` is given in the block, until `send` or another statement."""
    held = HeldWrites()
    with connection.execute_wrapper(held):
        yield held


def write_last(*writes: Write, then: Callable[[int], None]) -> None:
    """Send the statements, the last of what the caller does; then say how many rows the last wrote.

    Inside `held_writes` they are sent later, with other writes, so what the database refuses is
    raised then.
    """
    for wrapper in connection.execute_wrappers:
        if isinstance(wrapper, HeldWrites):
            wrapper.hold(*writes, then=then)
            return
    then(write(*writes))


def _together(writes: Sequence[Write]) -> Write:
    *first, last = writes
    named = ", ".join(
        f"{one.name or f'w{number}'} AS ({one.sql})" for number, one in enumerate(first)
    )
    sql = f"WITH {named} {last.sql}" if first else last.sql
    return Write(sql, [param for one in writes for param in one.params])


class _Values(NamedTuple):
    """Reads the values of columns in one call, then converts some of them for the database."""

    read: Callable[[Model], Sequence[Any]]
    conversions: tuple[tuple[int, Callable[[Any], Any]], ...]

    @classmethod
    def of_fields(cls, fields: Sequence["Field[Any, Any]"]) -> "_Values":
        conversions = ((place, _conversion_of(field)) for place, field in enumerate(fields))
        read = attrgetter(*(field.attname for field in fields))
        return cls(read, tuple((place, convert) for place, convert in conversions if convert))

    def of(self, row: Model) -> list[Any]:
        values = list(self.read(row))
        for place, convert in self.conversions:
            if values[place] is not None:
                values[place] = convert(values[place])
        return values


def _conversion_of(field: Any) -> Callable[[Any], Any] | None:
    """Return how the values of a field are converted; None if they are stored unchanged.

    Every integer is sent as the longest type: the driver would choose the shortest that holds the
    value, and the server would prepare a statement anew for each combination of types.
    """
    while field.remote_field:
        field = field.target_field
    if _is_stored_unchanged(field):
        return None
    if connection.vendor == "postgresql" and isinstance(field, IntegerField):
        return Int8
    return lambda value: field.get_db_prep_save(value, connection)


def _is_stored_unchanged(field: Any) -> bool:
    """Return whether Django's conversion of each value would leave it unchanged."""
    kind = type(field)
    if issubclass(kind, DateTimeField) or kind is BinaryField:
        return connection.vendor == "postgresql"
    return (
        kind.get_prep_value in (plain.get_prep_value for plain in _PLAIN)
        and kind.get_db_prep_value is Field.get_db_prep_value
        and kind.get_db_prep_save is Field.get_db_prep_save
    )


@cache
def _insertion(model: type[Model]) -> tuple[str, str, _Values]:
    serial_key = model._meta.auto_field
    fields = [field for field in model._meta.concrete_fields if field is not serial_key]
    columns = ", ".join(_quoted(field.column) for field in fields)
    placeholders = ", ".join(["%s"] * len(fields))
    table = _quoted(model._meta.db_table)
    start = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608  # our names
    return start, f"({placeholders})", _Values.of_fields(fields)


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> tuple[str, _Values]:
    key: Any = model._meta.pk
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    changes = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    table = _quoted(model._meta.db_table)
    sql = f"UPDATE {table} SET {changes} WHERE {_quoted(key.column)} = %s"  # noqa: S608  # our names
    return sql, _Values.of_fields([*fields, key])


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")
