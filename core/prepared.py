"""Queries whose SQL is worked out once per process.

The ORM works each query out anew, which for the columns of a payment costs as much as everything
else that a read does. Where the same query is sent with every request, it is built once, with a
`Place` for each text that changes, and sent again with other texts.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.transaction import TransactionManagementError

from core.errors import ApiError

_Row = TypeVar("_Row", bound=Model)


class Place(str):
    """Stands in a queryset for a text that is given later, by this name."""

    __slots__ = ()


class _Statement:
    """The SQL of a queryset and how its columns are read; of one kind of database."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        self._locks = queryset.query.select_for_update
        self._compiler: Any = queryset.query.get_compiler(queryset.db)
        self._sql, self._params = self._compiler.as_sql()
        columns = [column for column, *_ in self._compiler.select]
        self._converters = tuple(self._compiler.get_converters(columns).items())

    def _fetch(self, texts: dict[str, Any]) -> Iterator[list[Any]]:
        if self._locks and not connection.in_atomic_block:
            raise TransactionManagementError("A lock lasts until the transaction ends.")
        params = [texts[it] if isinstance(it, Place) else it for it in self._params]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, params)
            found = cursor.fetchall()
        return map(self._read, found)

    def _read(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for place, (converters, expression) in self._converters:
            for converter in converters:
                values[place] = converter(values[place], expression, connection)
        return values


class PreparedValues(_Statement):
    """The statement of a queryset that yields values."""

    def rows(self, **texts: str | None) -> list[list[Any]]:
        """Send the statement with these texts in its places; return the values it finds."""
        return list(self._fetch(texts))


class Prepared(_Statement, Generic[_Row]):
    """The statement of a queryset that yields objects."""

    def __init__(self, queryset: QuerySet[_Row]) -> None:
        super().__init__(queryset)
        select, kind = self._compiler.select, self._compiler.klass_info
        fields = kind["select_fields"]
        self._model: type[_Row] = kind["model"]
        self._own = slice(fields[0], fields[-1] + 1)
        self._names = [select[place][0].target.attname for place in fields]
        self._related = get_related_populators(kind, select, queryset.db)  # type: ignore[call-arg]  # the stub is of a later Django
        self._annotations = tuple(self._compiler.annotation_col_map.items())

    def rows(self, **texts: str | None) -> list[_Row]:
        """Send the statement with these texts in its places; return the objects it finds.

        One that locks must be sent within a transaction.
        """
        return [self._object(values) for values in self._fetch(texts)]

    def one(self, missing: type[ApiError], **texts: str | None) -> _Row:
        """Return the first object that is found. Raises `missing` where there is none."""
        for row in self.rows(**texts):
            return row
        raise missing()

    def _object(self, values: list[Any]) -> _Row:
        made = self._model.from_db(connection.alias, self._names, values[self._own])
        for populator in self._related:
            populator.populate(values, made)
        for name, place in self._annotations:
            setattr(made, name, values[place])
        return made
