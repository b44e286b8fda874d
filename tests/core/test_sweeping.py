"""One row that fails is logged and left out; the others go on."""

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, OperationalError, connection
from structlog.testing import capture_logs

from core.errors import Conflict
from core.sweeping import sweep

pytestmark = pytest.mark.django_db


def act(row: str) -> int:
    if row == "refused":
        raise Conflict
    if row == "poison":
        raise ValueError("no one knows how to")
    if row == "locked":
        raise DatabaseError("lock timeout")
    return int(row)


def test_the_end_of_its_time_is_no_fault_of_a_row() -> None:
    def take_too_long(row: str) -> int:
        raise SoftTimeLimitExceeded

    with pytest.raises(SoftTimeLimitExceeded):
        sweep("count", take_too_long, ["1", "2"])


def test_it_sums_up_what_was_done() -> None:
    assert sweep("count", act, ["1", "0", "3"]) == 4
    assert sweep("nothing", act, []) == 0


def test_a_refusal_is_nothing_to_speak_of() -> None:
    with capture_logs() as logged:
        assert sweep("count", act, ["refused", "1"]) == 1

    assert logged == []


@pytest.mark.parametrize("row", ["poison", "locked"])
def test_an_unexpected_error_is_logged_and_left_out(row: str) -> None:
    with capture_logs() as logged:
        assert sweep("count", act, ["1", row, "2", row, "4"]) == 7

    assert [(line["event"], line["log_level"]) for line in logged] == 2 * [
        ("row_left_out", "error")
    ]
    assert [(line["sweep"], line["row"]) for line in logged] == 2 * [("count", row)]
    assert all(line["exc_info"] for line in logged)


@pytest.mark.django_db(transaction=True)
def test_without_a_database_it_ends_at_once() -> None:
    tried = []

    def lose(row: str) -> int:
        tried.append(row)
        connection.close()
        raise OperationalError("the connection was closed")

    with pytest.raises(OperationalError):
        sweep("count", lose, ["1", "2"])

    assert tried == ["1"]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_it_ends_at_once_where_the_server_has_ended_the_connection() -> None:
    """Outside a transaction, Django does not notice: each row would fail, and log a traceback."""
    tried = []

    def lose(row: str) -> int:
        tried.append(row)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return 1

    with capture_logs() as logged, pytest.raises(OperationalError):
        sweep("count", lose, ["1", "2", "3"])

    connection.close()
    assert (tried, logged) == (["1"], [])
