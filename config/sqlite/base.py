"""Django's SQLite backend, with a queue for writers. Django requires this file name.

A transaction waits for its turn before BEGIN IMMEDIATE, and a statement outside a transaction
before it writes. Reads never wait.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unicodedata import normalize

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from config.sqlite.private_files import make_private
from config.sqlite.table_changes import DatabaseSchemaEditor
from config.sqlite.turns import turns_of

WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE")


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that takes its turn to write, and gives it back afterwards."""

    SchemaEditorClass = DatabaseSchemaEditor

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_turn = False
        self.execute_wrappers.append(self._execute_in_turn)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Open a connection with PostgreSQL's `normalize` function, to a file of ours alone."""
        make_private(str(self.settings_dict["NAME"]))
        connection = super().get_new_connection(conn_params)
        connection.create_function("normalize", 1, partial(normalize, "NFC"), deterministic=True)
        return connection

    def set_autocommit(
        self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False
    ) -> None:
        """Begin a transaction, after waiting for our turn unless it only reads; or end one."""
        begins = force_begin_transaction_with_broken_autocommit and not autocommit
        if not begins or self.transaction_mode is None:  # type: ignore[attr-defined]  # not in the stub
            super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
            return
        self._take_turn()
        try:
            super().set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        except BaseException:
            self._give_turn_back()
            raise

    def commit(self) -> None:
        super().commit()
        self._give_turn_back()  # if the commit fails, a rollback follows and gives it back

    def rollback(self) -> None:
        try:
            super().rollback()
        finally:
            self._give_turn_back()

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._give_turn_back()

    def _execute_in_turn(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        if self._has_turn or self.in_atomic_block or not sql.startswith(WRITING):
            return execute(sql, params, many, context)
        with self._turn():
            return execute(sql, params, many, context)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        self._take_turn()
        try:
            yield
        finally:
            self._give_turn_back()

    def _take_turn(self) -> None:
        seconds = self.settings_dict["OPTIONS"]["timeout"]
        if not turns_of(str(self.settings_dict["NAME"])).take(seconds=seconds):
            raise OperationalError("database is locked: no turn to write came up")
        self._has_turn = True

    def _give_turn_back(self) -> None:
        if self._has_turn:
            self._has_turn = False
            turns_of(str(self.settings_dict["NAME"])).give_back()
