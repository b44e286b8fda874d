"""Of a database that is away the log has a line for each attempt, and no traceback."""

import logging
from typing import Any

import pytest
from django.db import (
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
)

from config import worker
from config.celery import NoDatabase, PeriodicWork, app
from core.database_away import is_away, log_failure, reason_of, traceback_of
from core.task_runs import RunRecorder

GONE = "connection refused\n\tIs the server running on that host?"


def failure(text: str = GONE, *, state: str | None = None) -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = type("Cause", (Exception,), {"sqlstate": state})() if state else None
    return error


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (failure(), True),
        (InterfaceError("connection already closed"), True),
        (failure(state="57P01"), True),  # an operator has stopped the server
        (failure(state="53100"), True),  # its disk is full
        (failure(state="53300"), True),  # it has no connection left
        (failure(state="08006"), True),
        (failure(state="57014"), False),  # a statement took too long
        (failure(state="55P03"), False),  # a lock was not free
        (failure(state="40P01"), False),
        (failure("database is locked"), False),
        (IntegrityError("duplicate key"), False),
        (InternalError("current transaction is aborted"), False),
        (ValueError(GONE), False),
    ],
)
def test_it_is_away_where_whatever_it_is_asked_fails(error: Exception, away: bool) -> None:
    assert is_away(error) == away
    assert traceback_of(error) is (None if away else error)


@pytest.mark.django_db
@pytest.mark.parametrize("statement", ["SELECT 1 FROM no_such_table", "SELECT no_such_column", "!"])
def test_a_wrong_statement_is_an_error_of_ours(statement: str) -> None:
    with (
        connection.cursor() as cursor,
        pytest.raises((OperationalError, ProgrammingError)) as refused,
    ):
        cursor.execute(statement)

    assert not is_away(refused.value)


def test_its_reason_is_a_line() -> None:
    assert reason_of(failure()) == "connection refused"
    assert reason_of(OperationalError()) == "OperationalError"


class Work(PeriodicWork):
    name = "tests.work"
    error: Exception = failure()

    def run(self) -> None:
        raise self.error


@pytest.fixture
def work() -> Work:
    task: Any = Work()
    task.bind(app)
    made: Work = task
    return made


def test_a_task_without_a_database_is_no_error_of_its_own(
    work: Work, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(NoDatabase, match="connection refused"):
        work()

    assert isinstance(NoDatabase(), work.throws)
    [line] = caplog.records
    assert line.levelno == logging.WARNING
    assert "task_without_database" in line.getMessage()
    assert "connection refused" in line.getMessage()
    assert "Traceback" not in caplog.text


def test_a_statement_that_took_too_long_is_an_error_of_the_task(work: Work) -> None:
    work.error = failure(state="57014")

    with pytest.raises(OperationalError):
        work()


def test_one_process_logs_it_once_a_turn(
    work: Work, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.task_runs.recorder.write", lambda *_, **__: None)
    monkeypatch.setattr(worker, "close_old_connections", lambda: None)

    assert worker.run("work", work) is False

    assert len(caplog.records) == 1
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    ("error", "level", "said"),
    [
        (failure(), logging.WARNING, "django_celery_beat.schedulers: connection refused"),
        (failure(state="57014"), logging.ERROR, "Database gave error"),
    ],
)
def test_what_beat_logs_each_second_is_a_line(
    error: Exception, level: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    try:
        raise error
    except OperationalError:
        logging.getLogger("django_celery_beat.schedulers").exception("Database gave error")

    [line] = caplog.records
    assert (line.levelno, line.getMessage()) == (level, said)
    assert bool(line.exc_info) == (level == logging.ERROR)


@pytest.mark.parametrize("state", [None, "57014"])
def test_what_the_others_say_has_a_traceback_where_it_helps(
    state: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise failure(state=state)

    monkeypatch.setattr("core.task_runs._store", refuse)
    RunRecorder().write("worker")
    log_failure(logging.getLogger("tests"), "due deliveries wait", failure(state=state))

    assert [each.getMessage() for each in caplog.records] == [
        "task runs not written: connection refused",
        "due deliveries wait: connection refused",
    ]
    assert [bool(each.exc_info) for each in caplog.records] == [state is not None] * 2
