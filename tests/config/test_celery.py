"""The schedule under Celery: beat and a worker on a real Redis."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from celery.signals import task_postrun, task_prerun
from django.db import OperationalError, connection, connections, transaction
from django.utils.module_loading import import_string
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from config.celery import VISIBILITY_SECONDS, app, forget_removed_tasks
from config.environment import VARIABLES
from config.schedule import SCHEDULE
from core.clock import ClockRefused
from tests.clone import clone, migrate
from tests.redis import Redis

ANY_TASK = "core.tasks.fold_counts"
WAIT_SECONDS = 180  # two processes start meanwhile, where others have the machine
# How long each kind of work goes on at a time, and how often within one task.
TURNS = {
    "messages.send_loop": 2,  # channels
    "payments.tasks": 1,
    "payouts.account_statements": 1,
}


@pytest.mark.parametrize("module", TURNS)
def test_a_turn_leaves_half_of_its_task_for_what_it_has_begun(module: str) -> None:
    turn = import_string(f"{module}.TURN_SECONDS") * TURNS[module]

    assert 2 * turn <= app.conf.task_soft_time_limit < app.conf.task_time_limit


@pytest.mark.parametrize("module", ["core.task_runs", "messages.send_loop"])
def test_a_lease_outlives_the_task_that_holds_it(module: str) -> None:
    lease: timedelta = import_string(f"{module}.LEASE")

    assert lease.total_seconds() > app.conf.task_time_limit


class Celery:
    """Celery's processes in a clone of the project with demo data."""

    def __init__(self, directory: Path, broker_url: str) -> None:
        ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        self.environment = kept | {"CELERY_BROKER_URL": broker_url}
        self.directory = clone(directory)
        self.running: list[subprocess.Popen[bytes]] = []
        migrate(self.directory)
        self._python("-m", "config.local.development").wait()
        assert self._python("manage.py", "prepare").wait() == 0

    def start(self, *words: str) -> None:
        self.running.append(self._python("-m", "celery", "--app", "config", *words))

    def stop(self) -> None:
        for process in self.running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def values(self, statement: str) -> set[object]:
        with closing(sqlite3.connect(self.directory / "var/db.sqlite3", timeout=20)) as database:
            return {row[0] for row in database.execute(statement)}

    def _python(self, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


@pytest.fixture
def celery(tmp_path: Path, redis: Redis) -> Iterator[Celery]:
    celery = Celery(tmp_path, redis.broker_url)
    yield celery
    celery.stop()


@pytest.mark.slow
@pytest.mark.sqlite
def test_beat_and_a_worker_do_what_is_due(celery: Celery) -> None:
    """The demo data has an invoice, whose e-mail is due at once."""
    asked = "SELECT status FROM messaging_message WHERE kind = 'invoice'"
    assert celery.values(asked) == {"planned"}

    celery.start("worker", "--queues", "default", "--pool", "solo")
    celery.start("beat")

    deadline = time.monotonic() + WAIT_SECONDS
    while celery.values(asked) != {"sent"} and time.monotonic() < deadline:
        time.sleep(0.2)
    assert celery.values(asked) == {"sent"}
    assert celery.values("SELECT name FROM django_celery_beat_periodictask") >= set(SCHEDULE)


@pytest.mark.django_db
def test_beat_forgets_the_tasks_that_are_no_more() -> None:
    every = IntervalSchedule.objects.create(every=10, period=IntervalSchedule.SECONDS)
    for task in ("payments.tasks.send_payment_emails", "messages.tasks.send_messages"):
        PeriodicTask.objects.create(name=task, task=task, interval=every)
    app.loader.import_default_modules()

    forget_removed_tasks()

    kept = PeriodicTask.objects.values_list("task", flat=True)
    assert list(kept) == ["messages.tasks.send_messages"]


def test_every_task_of_the_schedule_is_there() -> None:
    app.loader.import_default_modules()

    assert {periodic.task for periodic in SCHEDULE.values()} <= set(app.tasks)


@pytest.mark.django_db
def test_a_refused_clock_is_no_error_of_a_task(capfd, monkeypatch) -> None:
    def refuse() -> None:
        raise ClockRefused("The time has leapt.")

    app.loader.import_default_modules()
    task = app.tasks["payments.tasks.expire_payments"]
    monkeypatch.setattr(task, "run", refuse)
    assert isinstance(task.apply().result, ClockRefused)

    assert capfd.readouterr().err == ""


def test_a_lost_worker_loses_no_task() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.broker_transport_options == {"visibility_timeout": VISIBILITY_SECONDS}
    assert max(app.conf.task_time_limit, 30) < VISIBILITY_SECONDS


@pytest.mark.parametrize("name", SCHEDULE)
def test_a_tick_that_no_worker_took_expires(name: str) -> None:
    entry = app.conf.beat_schedule[name]

    assert entry["schedule"] == SCHEDULE[name].seconds
    assert entry["options"]["expires"] == max(SCHEDULE[name].seconds, 10)


def test_a_task_gives_connections_back_and_leaves_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery would close a prefork worker's pool, with its connections, twice per task."""
    app.loader.import_default_modules()
    closed: list[str] = []
    theirs = import_string("celery.fixups.django.DjangoWorkerFixup")(app)
    task = app.tasks[ANY_TASK]
    monkeypatch.setattr(theirs, "_close_database", lambda: closed.append("pool"))
    monkeypatch.setattr(connections, "close_all", lambda: closed.append("connections"))

    theirs.on_task_prerun(task)
    task_prerun.send(sender=task)
    theirs.on_task_postrun(task)
    task_postrun.send(sender=task)

    assert closed == ["connections", "connections"]


def _run_as_in_a_worker(work: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> str:
    """Run this as a worker's process runs a task; return its state."""
    app.loader.import_default_modules()
    task = app.tasks[ANY_TASK]
    monkeypatch.setattr(task, "run", work)
    trace = import_string("celery.app.trace.build_tracer")(ANY_TASK, task, app=app)
    return str(trace("an id", (), {}, {"is_eager": False}).info or "SUCCESS")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_task_leaves_no_transaction_and_no_broken_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.task_runs.recorder.write", lambda *_, **__: None)

    def stop_within_a_transaction() -> None:
        transaction.set_autocommit(False)
        connection.cursor().execute("SELECT 1")
        raise ClockRefused("it stops here")

    def lose_the_connection() -> None:
        with suppress(OperationalError):
            connection.cursor().execute("SELECT pg_terminate_backend(pg_backend_pid())")

    def ask() -> None:
        assert transaction.get_autocommit()
        connection.cursor().execute("SELECT 1")

    for fault in (stop_within_a_transaction, lose_the_connection):
        _run_as_in_a_worker(fault, monkeypatch)
        assert connection.connection is None
        assert _run_as_in_a_worker(ask, monkeypatch) == "SUCCESS"
