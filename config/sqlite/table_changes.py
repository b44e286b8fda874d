"""How migrations change tables on SQLite, which drops a table's triggers with it."""

from typing import Any

from django.db import models
from django.db.backends.sqlite3 import schema

TRIGGERS = """
    SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s ORDER BY rowid
"""
THERE = "SELECT name FROM sqlite_master WHERE type = 'trigger'"


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    """Django's, with the triggers of a table put back after it was made anew.

    SQLite cannot add a column with a default of the database, say. Django then makes a new table
    and drops the old one: what refused changes, or noted them for the log, went with it unnoticed.
    They are put back at the end of the migration, but for those that it has made by itself.
    """

    def __enter__(self) -> "DatabaseSchemaEditor":
        self._triggers: dict[str, str] = {}
        super().__enter__()
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        if exc_type is None and self._triggers:
            there = {name for (name,) in self._select(THERE, [])}
            for name in self._triggers.keys() - there:
                self.execute(self._triggers[name], params=None)
        super().__exit__(exc_type, exc_value, traceback)

    def _remake_table(self, model: type[models.Model], *args: Any, **kwargs: Any) -> None:
        self._triggers |= dict(self._select(TRIGGERS, [model._meta.db_table]))
        super()._remake_table(model, *args, **kwargs)  # type: ignore[misc]  # not in the stub

    def _select(self, sql: str, params: list[str]) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql, params)
            return list(cursor.fetchall())
