"""`manage.py worker`: the schedule without a broker."""

import threading
import time
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.utils.module_loading import import_string

from config import celery, worker
from config.schedule import SCHEDULE, Periodic
from core.models import TaskRun
from core.task_runs import RunRecorder
from tests.factories import MerchantFactory

HERE = "tests.config.test_worker"
MOST_WRITES = 200
LONG = 30  # seconds, where others have the machine
turns: list[str] = []
released = threading.Event()
seen_twice = threading.Event()
failed_twice = threading.Event()


def slow() -> None:
    turns.append("slow")
    released.wait(LONG)


def quick() -> None:
    turns.append("quick")
    if turns.count("quick") >= 3:
        seen_twice.set()


def broken() -> None:
    turns.append("broken")
    if turns.count("broken") >= 2:
        failed_twice.set()
    raise RuntimeError("no luck")


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("core.task_runs.recorder.write", lambda *_, **__: None)  # needs no database
    turns.clear()
    released.clear()
    seen_twice.clear()
    failed_twice.clear()
    yield
    released.set()


def _started(**tasks: float) -> worker.Worker:
    schedule = {name: Periodic(f"{HERE}.{name}", seconds) for name, seconds in tasks.items()}
    started = worker.Worker(schedule)
    started.start()
    return started


def test_a_slow_task_delays_no_other() -> None:
    started = _started(slow=0.01, quick=0.01)

    assert seen_twice.wait(LONG)

    started.stop()
    assert turns.count("slow") == 1
    deadline = time.monotonic() + LONG
    while (running := started.join(0.05)) != ["slow"] and time.monotonic() < deadline:
        pass  # the other has yet to end
    assert running == ["slow"]
    released.set()
    assert started.join(LONG) == []


def test_a_failing_task_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    started = _started(broken=0.01, quick=0.02)

    assert seen_twice.wait(LONG)
    assert failed_twice.wait(LONG)

    started.stop()
    assert started.join(LONG) == []
    assert "no luck" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_an_idle_task_is_woken_by_a_write() -> None:
    started = worker.Worker({"quick": Periodic(f"{HERE}.quick", 0.01, idle=60)})
    started.start()
    # Without a write: one turn at the start, one for what was written before the first look.
    for _ in range(MOST_WRITES):
        if seen_twice.wait(0.05):
            break
        MerchantFactory()

    started.stop()
    assert started.join(LONG) == []
    assert seen_twice.is_set()


@pytest.mark.sqlite  # PostgreSQL counts the writes of its other databases along
@pytest.mark.django_db(transaction=True)
def test_an_idle_task_takes_no_turn_without_a_write() -> None:
    started = worker.Worker({"quick": Periodic(f"{HERE}.quick", 0.01, idle=60)})
    started.start()

    assert not seen_twice.wait(0.5)

    started.stop()
    assert started.join(LONG) == []


def test_a_task_that_does_not_exist_stops_the_start() -> None:
    with pytest.raises(ImportError):
        worker.Worker({"gone": Periodic("tests.no_such_module.task", 1)})


@pytest.mark.django_db
def test_once_takes_a_turn_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    schedule = {name: Periodic(f"{HERE}.{name}", 60) for name in ("broken", "quick")}
    monkeypatch.setattr("config.management.commands.worker.SCHEDULE", schedule)
    monkeypatch.setattr("config.start_checks.refuse_unsafe", lambda: None)

    with pytest.raises(CommandError, match="broken"):
        call_command("worker", "--once")

    assert turns == ["broken", "quick"]


@pytest.mark.django_db
def test_once_reports_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else TaskLate would go on after what its runbook says was done."""
    schedule = {name: Periodic(f"{HERE}.{name}", 60) for name in ("quick", "slow")}
    monkeypatch.setattr("config.management.commands.worker.SCHEDULE", schedule)
    monkeypatch.setattr("config.start_checks.refuse_unsafe", lambda: None)
    monkeypatch.setattr(worker, "close_old_connections", lambda: None)  # the test's own
    reports = RunRecorder()
    monkeypatch.setattr("config.worker.recorder", reports)
    monkeypatch.setattr("config.management.commands.worker.recorder", reports)
    released.set()

    call_command("worker", "--once")

    assert set(TaskRun.objects.values_list("name", flat=True)) == {"quick", "slow"}


@pytest.mark.parametrize("periodic", SCHEDULE.values(), ids=list(SCHEDULE))
def test_every_line_names_a_celery_task(periodic: Periodic) -> None:
    task = import_string(periodic.task)

    assert task.name == periodic.task
    assert task.name in celery.app.tasks
