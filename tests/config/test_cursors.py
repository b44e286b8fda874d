"""Our cursor does what Django's does around a statement, in fewer calls."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import (
    DatabaseError,
    DataError,
    InterfaceError,
    ProgrammingError,
    connection,
    transaction,
)
from django.test.utils import CaptureQueriesContext

from config.postgresql.base import QuickCursor

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def test_a_statement_returns_its_rows() -> None:
    with connection.cursor() as cursor:
        assert isinstance(cursor, QuickCursor)
        cursor.execute("SELECT %s::int, '%%'", [7])
        assert cursor.fetchall() == [(7, "%")]
        cursor.execute("SELECT '%'")
        assert cursor.fetchall() == [("%",)]


def test_an_error_of_the_driver_is_one_of_django() -> None:
    with connection.cursor() as cursor:
        with pytest.raises(DataError), transaction.atomic():
            cursor.execute("SELECT 1 / %s", [0])
        cursor.execute("SET CONSTRAINTS ALL DEFERRED", [])
        with pytest.raises(ProgrammingError):
            cursor.fetchall()
    with pytest.raises(InterfaceError):
        cursor.execute("SELECT %s::int", [1])


def test_none_is_made_on_a_connection_that_has_ended() -> None:
    own: Any = connection.copy()
    own.ensure_connection()
    own.connection.close()

    with pytest.raises(DatabaseError):
        own.cursor()


def test_a_broken_transaction_refuses_more_statements() -> None:
    with connection.cursor() as cursor, transaction.atomic():
        transaction.set_rollback(rollback=True)
        with pytest.raises(transaction.TransactionManagementError):
            cursor.execute("SELECT %s::int", [1])


def test_another_thread_cannot_use_the_connection() -> None:
    own: Any = connection.copy()
    with ThreadPoolExecutor(1) as other:
        of_other = other.submit(own.cursor)

    assert "same thread" in str(of_other.exception())
    own.inc_thread_sharing()
    with ThreadPoolExecutor(1) as other:
        other.submit(own.cursor).result().close()
    own.close()


def test_wrappers_and_captures_see_each_statement() -> None:
    seen = []

    def note(execute: Any, sql: Any, *about: Any) -> Any:
        seen.append(sql)
        return execute(sql, *about)

    with connection.execute_wrapper(note), connection.cursor() as cursor:
        cursor.execute("SELECT %s::int", [1])
    with CaptureQueriesContext(connection) as captured, connection.cursor() as cursor:
        cursor.execute("SELECT %s::int", [2])

    assert seen == ["SELECT %s::int"]
    assert len(captured) == 1
