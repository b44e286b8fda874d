"""Queries whose SQL is worked out once per process.

The ORM works each query out anew, which for the columns of a payment costs as much as everything
else that a read does. Where the same query is sent with every request, it is built once, with a
`Place` for each text that changes, and sent again with other texts.
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
from django.db.transaction import TransactionManagementError
from psycopg.sql import Literal

from core.errors import ApiError

_Row = TypeVar("_Row", bound=Model)


class Place(str):
    """Stands in a queryset for a text that is given later, by this name."""

    __slots__ = ()


class Choice(str):
    """One of a few texts: part of a statement, as the plan depends on how many rows have it."""

    __slots__ = ()


def place_of_instant(name: str) -> Value:
    """Return what stands in a queryset for an instant that is given later, by this name."""
    return Value(Place(name), output_field=TextField())


# An integer has a place as an instant has: the database takes its type from the column.
PLACES: dict[type, Callable[[str], Any]] = {
    str: Place,
    datetime: place_of_instant,
    int: place_of_instant,
}


def can_be_prepared(lookups: Mapping[str, Any]) -> bool:
    """Return whether there is a place for each value: not for pairs, nor for words."""
    return all(type(value) in PLACES or isinstance(value, Choice) for value in lookups.values())


Shape = tuple[tuple[str, Any], ...]


def shape_of(lookups: Mapping[str, Any]) -> Shape:
    """Return what the SQL of a list depends on: which look-ups there are, and their choices."""
    return tuple((key, it if isinstance(it, Choice) else type(it)) for key, it in lookups.items())


def places_of(shape: Shape) -> dict[str, Any]:
    """Return the look-ups of a shape, with a place for each text, integer and instant."""
    return {key: PLACES[it](key) if isinstance(it, type) else it for key, it in shape}


@contextmanager
def planned_by_values() -> Iterator[None]:
    """Have PostgreSQL plan each statement for its values within.

    A plan that a connection keeps does not know them: what is rare is looked for where there is
    most of something else, and an index of the rare alone is left out.
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
    """The SQL of a queryset and how its columns are read; of one kind of database.

    What is the same each time is part of the statement, so that a plan that is kept knows it.
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
        params = [_sent(given[it]) if isinstance(it, Place) else it for it in self._params]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, params)
            found = cursor.fetchall()
        return map(self._read, found)

    def _read(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for place, converters, column in self._converters:
            for converter in converters:
                values[place] = converter(values[place], column, connection)
        return values


def _written_out(sql: str, params: Sequence[Any]) -> tuple[str, tuple[Any, ...]]:
    """Write what has no place into the statement; return the parameters that are left."""
    if connection.vendor != "postgresql":
        return sql, tuple(params)
    given, left = iter(params), []

    def written(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return found[0]
        value = next(given)
        if isinstance(value, Place) or not isinstance(value, str | int):
            left.append(value)
            return found[0]
        return Literal(value).as_string().replace("%", "%%")

    return re.sub("%s|%%", written, sql), tuple(left)


_Converter = Callable[[Any, Any, Any], Any]


def _quickest(converter: _Converter, column: Any) -> _Converter:
    """Return what reads a value as Django's converter does: JSON in a tenth of its time."""
    field = getattr(converter, "__self__", None)
    is_plain = isinstance(field, JSONField) and field.decoder is None and isinstance(column, Col)
    return _read_json if is_plain else converter


def _read_json(written: str | None, *_: object) -> Any:
    return None if written is None else orjson.loads(written)


def _sent(value: Any) -> Any:
    """Return a value as the database takes it."""
    is_instant = isinstance(value, datetime)
    return connection.ops.adapt_datetimefield_value(value) if is_instant else value


class PreparedValues(_Statement):
    """The statement of a queryset that yields values."""

    def rows(self, **given: Any) -> list[list[Any]]:
        """Send the statement with what is given in its places; return the values it finds."""
        return list(self._fetch(given))

    def number(self, **given: Any) -> int:
        """Return the one number that the statement finds."""
        ((number,),) = self._fetch(given)
        return int(number)


class _Maker:
    """Makes an object of a row, and those it refers to, as `from_db` would.

    That calls `setattr` for each column, and looks for each field that was not read.
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
        """Return the object; None where it refers to nothing."""
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
        """Send the statement with what is given in its places; return the objects it finds.

        One that locks must be sent within a transaction.
        """
        return [self._object(values) for values in self._fetch(given)]

    def one(self, missing: type[ApiError], **given: Any) -> _Row:
        """Return the first object that is found. Raises `missing` where there is none."""
        for row in self.rows(**given):
            return row
        raise missing()

    def _object(self, values: list[Any]) -> _Row:
        made: _Row = self._maker.make(values)
        for name, place in self._annotations:
            setattr(made, name, values[place])
        return made
