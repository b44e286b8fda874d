"""Django's PostgreSQL, whose instants the driver reads by itself: Django looks for this name.

Django's own loader calls Python for each instant, to put a time zone in the place of the one it
has: a third of what reading the rows of a list takes. Our sessions are in UTC, and so is what the
driver returns.
"""

from functools import cache
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from psycopg import _queries
from psycopg.adapt import AdaptersMap
from psycopg.postgres import types
from psycopg.pq import Format

INSTANT = types["timestamptz"].oid

# The driver keeps what it makes of a statement's text, the last 128 of them, but of none with more
# than fifty values: those of a creation and of a refund it would take apart again each time.
_queries.MAX_CACHED_STATEMENT_PARAMS = 120
_queries.MAX_CACHED_STATEMENT_LENGTH = 8_192


@cache
def _with_own_instants(template: AdaptersMap) -> AdaptersMap:
    adapters = AdaptersMap(template)
    if driver := psycopg.adapters.get_loader(INSTANT, Format.TEXT):
        adapters.register_loader(INSTANT, driver)
    return adapters


class SchemaEditor(DatabaseSchemaEditor):
    """Migrates with minutes between two statements, in which Django writes the schema anew.

    A busy machine takes longer for it than a request may. A machine that is gone meanwhile holds
    locks on tables: the limit stays one.
    """

    def __enter__(self) -> "SchemaEditor":
        super().__enter__()
        if self.atomic_migration and not self.collect_sql:
            self.execute("SET LOCAL idle_in_transaction_session_timeout = '5min'")
        return self


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that reads instants without a call of Python."""

    SchemaEditorClass = SchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        if self.alias in self._connection_pools:  # type: ignore[attr-defined]  # the stub lacks it
            return {}  # the pool has them: Django asks whenever it takes a connection from there
        params: dict[str, Any] = super().get_connection_params()
        return params | {"context": _with_own_instants(params["context"])}

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor; a named one reads its rows in pieces. Django's looks at the zone."""
        connection: Any = self.connection
        if name is None:
            return connection.cursor()
        return connection.cursor(name, scrollable=False, withhold=connection.autocommit)
