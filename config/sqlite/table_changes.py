"""Schema changes on SQLite, which drops the triggers and indexes of a table along with it."""

from typing import Any

from django.db import models, transaction
from django.db.backends.sqlite3 import schema

OF_TABLE = """
    SELECT name, sql FROM sqlite_master
    WHERE type IN ('trigger', 'index') AND tbl_name = %s AND sql IS NOT NULL ORDER BY rowid
"""
NAMING_TABLE = """
    SELECT name, sql FROM sqlite_master
    WHERE type = 'trigger' AND tbl_name <> %s AND instr(sql, %s) > 0 ORDER BY rowid
"""
THERE = "SELECT name FROM sqlite_master"


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Django's schema editor, which also restores a table's triggers and indexes.

    For some changes, such as a column with a database default, SQLite makes Django create a new
    table with the indexes that Django knows, and drop the old one. That would silently drop the
    triggers that refuse or log changes, and indexes created in SQL. They are restored at the end of
    the migration, unless it has created them itself. So are triggers of other tables that name this
    one: SQLite refuses to rename the new table while they are there.

    In a migration without a transaction, each table is made anew in one of its own and has its
    triggers again at its end: an interrupted migration can be repeated.
    """

    def __enter__(self) -> "DatabaseSchemaEditor":
        self._dropped: dict[str, str] = {}
        super().__enter__()
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is None:
            self._restore()
        super().__exit__(exc_type, exc_value, traceback)

    def _remake_table(self, model: type[models.Model], *args: Any, **kwargs: Any) -> None:
        if self.connection.in_atomic_block:
            self._remake_within(model, *args, **kwargs)
        else:
            with transaction.atomic(self.connection.alias):
                self._remake_within(model, *args, **kwargs)
                self._restore()

    def _remake_within(self, model: type[models.Model], *args: Any, **kwargs: Any) -> None:
        table, meta = model._meta.db_table, model._meta
        known = {known.name for known in (*meta.indexes, *meta.constraints)}
        for name, sql in self._select(OF_TABLE, [table]):
            if name not in known and not name.startswith(table):  # as Django names its own
                self._dropped[name] = sql
        for name, sql in self._select(NAMING_TABLE, [table, table]):
            self._dropped[name] = sql
            self.execute(f'DROP TRIGGER "{name}"', params=None)
        super()._remake_table(model, *args, **kwargs)  # type: ignore[misc]  # not in the stub

    def _restore(self) -> None:
        there = {name for (name,) in self._select(THERE, [])} if self._dropped else set()
        for name, sql in self._dropped.items():
            if name not in there:
                self.execute(sql, params=None)
        self._dropped = {}

    def _select(self, sql: str, params: list[str]) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql, params)
            return list(cursor.fetchall())
