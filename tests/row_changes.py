"""Which rows a call has changed, and in which columns: all of a world at once."""

from typing import Any

from django.db.models import Model, QuerySet

World = dict[str, dict[Any, dict[str, Any]]]


def rows_of(*querysets: QuerySet[Any]) -> World:
    """Return the rows of each queryset as they are stored, by table and key."""
    return {
        rows.model.__name__: {row[_key_of(rows.model)]: row for row in rows.values()}
        for rows in querysets
    }


def changed(before: World, after: World) -> dict[str, set[str]]:
    """Return the columns that differ, by table; `new` and `gone` stand for whole rows."""
    found = {table: _columns(before[table], after[table]) for table in before}
    return {table: columns for table, columns in found.items() if columns}


def _columns(before: dict[Any, dict[str, Any]], after: dict[Any, dict[str, Any]]) -> set[str]:
    columns = {
        name
        for key in before.keys() & after.keys()
        for name in before[key]
        if before[key][name] != after[key][name]
    }
    columns |= {"gone"} if before.keys() - after.keys() else set()
    return columns | ({"new"} if after.keys() - before.keys() else set())


def _key_of(model: type[Model]) -> str:
    key = model._meta.pk
    assert key
    return key.attname
