"""Queries whose SQL is compiled once per process.

The ORM compiles each query every time, which for the columns of a payment costs as much as the rest
of a read. A query that every request sends is compiled once, with a `Placeholder` for each text
that changes, and sent again with other texts.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Generic, TypeVar

import orjson
from django.db import connection
from django.db.models import JSONField, Model, QuerySet, TextField, Value
from django.db.models.base import ModelState
from django.db.models.expressions import Col
from django.db.models.sql import UpdateQuery
from django.db.transaction import TransactionManagementError
from psycopg.sql import Literal

from core.errors import ApiError

_Row = TypeVar("_Row", bound=Model)


class Placeholder(str):
    """A placeholder in a queryset for a text that is supplied later, under this name."""

    __slots__ = ()


class Choice(str):
    """One of a few texts, part of the statement because the plan depends on how common it is."""

    __slots__ = ()


def instant_placeholder(name: str) -> Value:
    """Return the placeholder for an instant that is supplied later, under this name."""
    return Value(Placeholder(name), output_field=TextField())


# An integer has the placeholder of an instant: the database infers the type from the column.
PLACEHOLDERS: dict[type, Callable[[str], Any]] = {
    str: Placeholder,
    datetime: instant_placeholder,
    int: instant_placeholder,
}


def can_be_prepared(lookups: Mapping[str, Any]) -> bool:
    """Return whether there is a placeholder for each value: pairs and words have none."""
    return all(
        type(value) in PLACEHOLDERS or isinstance(value, Choice) for value in lookups.values()
    )


Shape = tuple[tuple[str, Any], ...]


def shape_of(lookups: Mapping[str, Any]) -> Shape:
    """Return what the SQL of a list depends on: which look-ups it has, and their choices."""
    return tuple((key, it if isinstance(it, Choice) else type(it)) for key, it in lookups.items())


def placeholders_of(shape: Shape) -> dict[str, Any]:
    """Return the look-ups of a shape, with a placeholder for each text, integer and instant."""
    return {key: PLACEHOLDERS[it](key) if isinstance(it, type) else it for key, it in shape}


@contextmanager
def planned_by_values() -> Iterator[None]:
    """Make PostgreSQL plan each statement in the block for its actual values.

    A cached plan does not know them: it searches for a rare value as if it were a common one, and
    cannot use an index on the rare ones alone.
    """
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    driver = connection.connection
    kept, driver.prepare_threshold = driver.prepare_threshold, None
    try:
        yield
    finally:
        driver.prepare_threshold = kept


class _Statement:
    """The SQL of a queryset and how its columns are read, for one kind of database.

    Values that never change are written into the statement, so that a cached plan knows them.
    """

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        self._locks = queryset.query.select_for_update
        self._compiler: Any = queryset.query.get_compiler(queryset.db)
        self._sql, self._params = _written_out(*self._compiler.as_sql())
        columns = [column for column, *_ in self._compiler.select]
        self._converters = tuple(
            (place, [_quickest(converter, column) for converter in converters], column)
            for place, (converters, column) in self._compiler.get_converters(columns).items()
        )

    def _fetch(self, given: dict[str, Any]) -> Iterator[list[Any]]:
        if self._locks and not connection.in_atomic_block:
            raise TransactionManagementError("A lock lasts until the transaction ends.")
        with connection.cursor() as cursor:
            cursor.execute(self._sql, _filled(self._params, given))
            found = cursor.fetchall()
        return map(self._read, found)

    def _read(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for place, converters, column in self._converters:
            for converter in converters:
                values[place] = converter(values[place], column, connection)
        return values


def _written_out(sql: str, params: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """Write constants into the statement; return it with the parameters that are left."""
    if connection.vendor != "postgresql":
        return sql, tuple(params)
    given, left = iter(params), []

    def written(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return found[0]
        value = next(given)
        if isinstance(value, Placeholder) or not isinstance(value, str | int):
            left.append(value)
            return found[0]
        return Literal(value).as_string().replace("%", "%%")

    return re.sub("%s|%%", written, sql), tuple(left)


_Converter = Callable[[Any, Any, Any], Any]


def _quickest(converter: _Converter, column: Any) -> _Converter:
    """Return a faster equivalent of Django's converter, if any: for JSON, ten times as fast."""
    field = getattr(converter, "__self__", None)
    is_plain = isinstance(field, JSONField) and field.decoder is None and isinstance(column, Col)
    return _read_json if is_plain else converter


def _read_json(written: str | None, *_: object) -> Any:
    return None if written is None else orjson.loads(written)


def _filled(params: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
    return [_sent(given[it]) if isinstance(it, Placeholder) else it for it in params]


def _sent(value: Any) -> Any:
    """Return a value as the database takes it: SQLite takes a list as JSON."""
    if isinstance(value, list) and connection.vendor == "sqlite":
        return orjson.dumps(value).decode()
    is_instant = isinstance(value, datetime)
    return connection.ops.adapt_datetimefield_value(value) if is_instant else value


class PreparedValues(_Statement):
    """The statement of a queryset that yields values."""

    def rows(self, **given: Any) -> list[list[Any]]:
        """Execute the statement with the given values; return the values it finds."""
        return list(self._fetch(given))

    def number(self, **given: Any) -> int:
        """Return the one number that the statement finds."""
        ((number,),) = self._fetch(given)
        return int(number)


class PreparedUpdate:
    """The statement that updates the rows of a queryset, with a placeholder for what changes."""

    def __init__(self, queryset: QuerySet[Any, Any], **values: Any) -> None:
        query: Any = queryset.query.chain(UpdateQuery)
        query.add_update_values(values)
        sql, params = query.get_compiler(queryset.db).as_sql()
        self._sql, self._params = _written_out(sql, params)

    def execute(self, **given: Any) -> int:
        """Execute the statement with the given values; return how many rows it changed."""
        with connection.cursor() as cursor:
            cursor.execute(self._sql, _filled(self._params, given))
            return int(cursor.rowcount)


class _Maker:
    """Makes an object of a row, and those it refers to, as `from_db` would.

    That calls `setattr` for each column, and looks for every field that was not read.
    """

    def __init__(self, kind: Any, select: Sequence[Any], alias: str) -> None:
        fields = kind["select_fields"]
        self._model: type[Model] = kind["model"]
        self._alias = alias
        self._own = slice(fields[0], fields[-1] + 1)
        self._names = [select[place][0].target.attname for place in fields]
        self._key = fields[0] + self._names.index(self._model._meta.pk.attname)
        self._related = [
            (each["local_setter"], each["remote_setter"], _Maker(each, select, alias))
            for each in kind.get("related_klass_infos", ())
        ]

    def make(self, values: list[Any]) -> Any:
        """Return the object; None if its key is null, as it is for an empty relation."""
        if values[self._key] is None:
            return None
        made = self._model.__new__(self._model)
        state = made._state = ModelState()
        state.adding, state.db = False, self._alias
        made.__dict__.update(zip(self._names, values[self._own], strict=True))
        for set_here, set_there, maker in self._related:
            other = maker.make(values)
            set_here(made, other)
            if other is not None:
                set_there(other, made)
        return made


class Prepared(_Statement, Generic[_Row]):
    """The statement of a queryset that yields objects."""

    def __init__(self, queryset: QuerySet[_Row]) -> None:
        super().__init__(queryset)
        kind = self._compiler.klass_info
        self._maker = _Maker(kind, self._compiler.select, queryset.db)
        self._annotations = tuple(self._compiler.annotation_col_map.items())

    def rows(self, **given: Any) -> list[_Row]:
        """Execute the statement with the given values; return the objects it finds.

        One that locks must be executed inside a transaction.
        """
        return [self._object(values) for values in self._fetch(given)]

    def one(self, missing: type[ApiError], **given: Any) -> _Row:
        """Return the first object found. Raises `missing` if there is none."""
        for row in self.rows(**given):
            return row
        raise missing()

    def _object(self, values: list[Any]) -> _Row:
        made: _Row = self._maker.make(values)
        for name, place in self._annotations:
            setattr(made, name, values[place])
        return made
