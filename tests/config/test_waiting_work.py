"""Beat sends no tick where a look finds no work, and misses none where there is some."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from celery.beat import SchedulingError
from django.core.management import call_command
from django.db import OperationalError, ProgrammingError, connection
from django.utils.module_loading import import_string
from django_celery_beat import schedulers

from config import beat
from config.schedule import MINUTE, SCHEDULE
from config.waiting_work import WAITING, may_find_work
from core.clock import utc_now
from tests.config.beats import NOW, Beat, at
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db
CHANGES = ("INSERT", "UPDATE", "DELETE")
# What a task writes although it finds nothing: when it ran, and the seal that all others follow.
OWN_NOTES = ("core_turnmark", "core_taskrun", "ledger_seal")


def test_each_task_of_less_than_a_minute_is_looked_for() -> None:
    assert set(WAITING) == {name for name, it in SCHEDULE.items() if it.seconds < MINUTE}


def test_a_task_without_a_look_may_always_find_work() -> None:
    assert may_find_work("prove ledger", now=utc_now())


@pytest.mark.usefixtures("development")
def test_the_work_of_a_days_trade_is_found_and_what_is_not_found_is_not_there() -> None:
    call_command("demo", stdout=StringIO())
    found = set()

    for name in [*WAITING, *WAITING]:
        if may_find_work(name, now=utc_now()):
            found.add(name)
        elif name != "send webhooks":  # which dispatchers do by themselves
            assert not changes_by(name), name
        if name != "send webhooks":
            import_string(SCHEDULE[name].task)()

    assert {"seal transfers", "fold counts", "send messages"} <= found


def changes_by(name: str) -> list[str]:
    changes: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        is_own = any(table in sql for table in OWN_NOTES)
        if sql.startswith(CHANGES) and context["cursor"].rowcount > 0 and not is_own:
            changes.append(sql)
        return result

    with connection.execute_wrapper(note):
        import_string(SCHEDULE[name].task)()
    return changes


@pytest.mark.parametrize(("is_due", "seconds"), [(True, -1), (False, 60)])
def test_a_time_that_has_come_is_work(is_due: bool, seconds: float) -> None:
    now = utc_now()
    PaymentFactory(expires_at=now + timedelta(seconds=seconds))

    assert may_find_work("expire payments", now=now) == is_due


class TakenTicks:
    """Notes what beat sends to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with time_machine.travel(NOW, tick=False):
            self.beat = Beat()
        self.sent: list[str] = []
        self.elapsed = 0.0
        del self.beat.scheduler.apply_entry
        monkeypatch.setattr(self.beat.scheduler, "apply_async", self._take)
        monkeypatch.setattr("config.beat.time.monotonic", lambda: self.elapsed)

    def _take(self, entry: object, **_: object) -> None:
        self.sent.append(str(entry.name))  # type: ignore[attr-defined]  # the library has no types

    def sent_at(self, seconds: float) -> list[str]:
        self.sent.clear()
        self.elapsed = seconds
        self.beat.sent_at(at(seconds))
        return sorted(self.sent)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> TakenTicks:
    for module in (schedulers, beat):
        monkeypatch.setattr(module, "close_old_connections", lambda: None)
    return TakenTicks(monkeypatch)


def test_an_idle_service_is_left_alone_for_a_minute(broker: TakenTicks) -> None:
    first = broker.sent_at(3_601)
    assert set(WAITING) <= set(first)

    later = [name for seconds in range(3_602, 3_660) for name in broker.sent_at(seconds)]
    assert not set(later) & set(WAITING)

    assert set(WAITING) <= {name for it in range(3_660, 3_700) for name in broker.sent_at(it)}


def test_a_clock_that_was_set_back_leaves_nothing_out_for_longer(broker: TakenTicks) -> None:
    broker.sent_at(3_601)

    broker.elapsed = 3_662
    broker.beat.sent_at(at(3_662 - 7_200))

    assert set(WAITING) <= set(broker.sent)


def test_work_is_sent_at_its_next_turn(broker: TakenTicks) -> None:
    broker.sent_at(3_601)
    PaymentFactory(expires_at=NOW)

    sent = [name for seconds in range(3_602, 3_620) for name in broker.sent_at(seconds)]

    assert sent.count("expire payments") == 1
    assert sent.count("fold counts") == 3, "the counts of the new payment's list"
    assert "settle payments" not in sent


def test_a_tick_that_the_broker_refused_is_sent_at_the_next_turn(
    broker: TakenTicks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SchedulingError("OOM")

    with monkeypatch.context() as full:
        full.setattr(broker.beat.scheduler, "apply_async", refuse)
        broker.sent_at(3_601)

    assert "settle payments" in broker.sent_at(3_607)


def test_a_look_keeps_no_connection_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise each would fail after a restart of the database, and each tick be sent."""
    looks = [True, False]
    monkeypatch.setattr(beat, "close_old_connections", looks.pop)

    assert not beat._may_find_work("settle payments")
    monkeypatch.setattr(beat, "may_find_work", ImportError)
    assert beat._may_find_work("settle payments")

    assert looks == []


@pytest.mark.parametrize(
    ("error", "lines"), [(OperationalError, 0), (ProgrammingError, 1), (ImportError, 1)]
)
def test_without_an_answer_the_tick_is_sent(
    broker: TakenTicks,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[Exception],
    lines: int,
) -> None:
    """The task then says what fails; what is wrong with the look itself, only beat can say."""
    broker.sent_at(3_601)

    def fail(task: str, **_: object) -> bool:
        raise error("away")

    monkeypatch.setattr(beat, "may_find_work", fail)

    assert "seal transfers" in broker.sent_at(3_604)
    said = [each for each in caplog.records if "look_failed" in each.getMessage()]
    assert (len(said) > 0) == bool(lines)
