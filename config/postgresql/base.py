"""Django's PostgreSQL backend, with the driver's own timestamps. Django requires this file name.

Django's own loader calls Python for each timestamp, to replace its time zone: a third of the time
that reading a list takes. Our sessions are in UTC, so the driver returns UTC anyway.
"""

import select
from functools import cache
from threading import get_ident
from time import perf_counter
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.backends.utils import CursorWrapper
from psycopg import _queries
from psycopg.adapt import AdaptersMap
from psycopg.postgres import types
from psycopg.pq import Format

from core.statement_time import note_statement

INSTANT = types["timestamptz"].oid

# The driver caches the last 128 parsed statements, but none with more than fifty values: it would
# parse the statements of a creation and of a refund again each time.
_queries.MAX_CACHED_STATEMENT_PARAMS = 130
_queries.MAX_CACHED_STATEMENT_LENGTH = 8_192


def has_unread_input(connection: psycopg.Connection[Any]) -> bool:
    """Return whether something has arrived on an idle connection: a last message, or its end.

    After a restart of the server, every idle connection has one of them.
    """
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return bool(poll.poll(0))


@cache
def _with_own_instants(template: AdaptersMap) -> AdaptersMap:
    adapters = AdaptersMap(template)
    if driver := psycopg.adapters.get_loader(INSTANT, Format.TEXT):
        adapters.register_loader(INSTANT, driver)
    return adapters


class TimedCursor(base.ServerBindingCursor):
    """A cursor whose statements are noted with the time that they take, also where they fail."""

    def execute(self, *args: Any, **options: Any) -> Any:
        began = perf_counter()
        try:
            return super().execute(*args, **options)  # type: ignore[misc]  # the stub lacks it
        finally:
            note_statement(perf_counter() - began)


class QuickCursor(CursorWrapper):
    """Django's cursor, which goes through its wrappers of statements only where there are any."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        if self.db.execute_wrappers:
            return super().execute(sql, params)
        self.db.validate_no_broken_transaction()
        with self.db.wrap_database_errors:
            return self.cursor.execute(sql, params)

    def fetchall(self) -> list[Any]:
        """Return all rows, without a function made for this one call."""
        with self.db.wrap_database_errors:
            rows: list[Any] = self.cursor.fetchall()
            return rows


# PostgreSQL adds no constraint "if not exists"; in one statement, no row gets in between.
_ADDED_ANEW = ("ADD CONSTRAINT", "DROP CONSTRAINT IF EXISTS %(name)s, ADD CONSTRAINT")
# By the editor's statement: what is written, and what in its place so that it may be repeated.
REPEATABLE = {
    "sql_create_table": ("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"),
    "sql_create_column": ("ADD COLUMN", "ADD COLUMN IF NOT EXISTS"),
    "sql_create_index": ("CREATE INDEX", "CREATE INDEX IF NOT EXISTS"),
    "sql_create_check": _ADDED_ANEW,
    "sql_create_fk": _ADDED_ANEW,
    "sql_create_unique": _ADDED_ANEW,
    "sql_delete_check": ("DROP CONSTRAINT", "DROP CONSTRAINT IF EXISTS"),
}


class SchemaEditor(DatabaseSchemaEditor):
    """Allows migrations minutes between two statements, in which Django works out the schema.

    On a busy machine this takes longer than the limit for requests. There still is a limit, as a
    machine that dies meanwhile holds locks on tables.

    A migration without a transaction may be repeated after an interruption: what it has made or
    removed by then stays so.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not self.atomic_migration:
            for name, (once, again) in REPEATABLE.items():
                setattr(self, name, getattr(self, name).replace(once, again, 1))

    def __enter__(self) -> "SchemaEditor":
        super().__enter__()
        if self.atomic_migration and not self.collect_sql:
            self.execute("SET LOCAL idle_in_transaction_session_timeout = '5min'")
        return self


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that reads instants without a call of Python, and notes slow statements."""

    SchemaEditorClass = SchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        if self.alias in self._connection_pools:  # type: ignore[attr-defined]  # the stub lacks it
            return {}  # the pool has them; Django asks every time it takes a connection from it
        params: dict[str, Any] = super().get_connection_params()
        context = _with_own_instants(params["context"])
        return params | {"context": context, "cursor_factory": TimedCursor}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Return a connection that the server has not closed, as far as the kernel knows.

        After a restart of the server, the pool still holds its closed connections, and each would
        fail a request. Asking the kernel sends nothing; the pool replaces what is closed here.
        """
        connection = super().get_new_connection(conn_params)
        while self.pool and has_unread_input(connection):
            connection.close()
            self.pool.putconn(connection)
            connection = self.pool.getconn()
        return connection

    def _set_autocommit(self, autocommit: bool) -> None:
        """Set it where it differs: connections from the pool are as they were left."""
        connection: Any = self.connection
        if connection.autocommit != autocommit:
            super()._set_autocommit(autocommit)  # type: ignore[misc]  # the stub lacks it

    def cursor(self) -> Any:
        """Return a cursor as Django does, without asking whether this is an event loop: it is none.

        The pool has looked at the connection, and only another thread's needs Django's own check.
        """
        if self.connection is None:
            self.ensure_connection()
        if self._thread_ident != get_ident():  # type: ignore[attr-defined]  # the stub lacks it
            self.validate_thread_sharing()
        with self.wrap_database_errors:
            cursor = self.create_cursor()
        return self.make_debug_cursor(cursor) if self.queries_logged else self.make_cursor(cursor)

    def make_cursor(self, cursor: Any) -> CursorWrapper:
        return QuickCursor(cursor, self)

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor, without Django's check of the time zone; a named one is server-side."""
        connection: Any = self.connection
        if name is None:
            return connection.cursor()
        return connection.cursor(name, scrollable=False, withhold=connection.autocommit)
