"""A clock that is wrong: nothing is done by it, it is told, and all goes on once it is right."""

import re
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils.module_loading import import_string
from prometheus_client import REGISTRY
from pytest_django import Settings

from core import clock_check
from core.clock import ClockRefused, utc_now
from core.clock_check import LONG_STEP, NOTED_EVERY, checked_now, task_now
from core.models import TurnMark
from payments.models import Payment
from payments.statuses import PaymentStatus
from payments.tasks import expire_payments
from tests.races import at_once
from tests.wild_ticks import BY_CLOCK, WILD, off_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def own_clock_off(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], datetime]:
    """Set the clock of this process off; the database's stays."""

    def set_off(difference: timedelta) -> datetime:
        right = utc_now()
        monkeypatch.setattr(clock_check, "database_now", lambda: right)
        monkeypatch.setattr(clock_check, "utc_now", lambda: right + difference)
        return right

    return set_off


@pytest.mark.parametrize("task", BY_CLOCK)
@pytest.mark.parametrize("seconds", [-7200, 6])
def test_every_task_refuses_to_act(
    own_clock_off: Callable[[timedelta], datetime], task: str, seconds: int
) -> None:
    own_clock_off(timedelta(seconds=seconds))

    with pytest.raises(ClockRefused, match=re.escape(f"{seconds:+} s off")):
        import_string(task)()


@pytest.mark.parametrize("seconds", [-5, 0, 5])
def test_a_few_seconds_do_no_harm(
    own_clock_off: Callable[[timedelta], datetime], seconds: int
) -> None:
    right = own_clock_off(timedelta(seconds=seconds))

    assert task_now() == right


def test_what_is_refused_is_told(
    client: Client, own_clock_off: Callable[[timedelta], datetime], caplog: pytest.LogCaptureFixture
) -> None:
    own_clock_off(timedelta(hours=2))

    for _ in range(3):
        with pytest.raises(ClockRefused):
            expire_payments()

    mark = TurnMark.objects.get()
    assert mark.refusal.endswith("is +7200 s off.")
    assert mark.refused_at is not None
    [record] = [each for each in caplog.records if "clock_refused" in str(each.msg)]
    assert record.levelname == "ERROR"
    assert client.get("/metrics").status_code == 200
    assert REGISTRY.get_sample_value("clock_offset_seconds") == 7200
    told = REGISTRY.get_sample_value("clock_refused_timestamp_seconds")
    assert told == mark.refused_at.timestamp()
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["details"]) == (503, mark.refusal)


@pytest.mark.parametrize(
    "words",
    [
        ("prune",),
        ("worker", "--once"),
        ("import_bank_file", "/dev/null"),
        ("record_payout", "po_1", "paid"),
    ],
)
def test_nothing_is_done_by_hand_under_a_wrong_clock(
    own_clock_off: Callable[[timedelta], datetime],
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("config.start_checks.refuse_unsafe", lambda: None)
    own_clock_off(timedelta(days=400))

    with pytest.raises(CommandError, match="s off"):
        call_command(*words)


@pytest.mark.postgres
@pytest.mark.real_clock("the database's cannot be stopped")
@pytest.mark.django_db(transaction=True)
def test_one_process_of_two_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = threading.local()

    def now() -> datetime:
        return utc_now() - getattr(slow, "by", timedelta(0))

    def slow_turn() -> datetime:
        slow.by = timedelta(hours=2)
        return task_now()

    monkeypatch.setattr(clock_check, "utc_now", now)

    right, wrong = at_once([task_now, slow_turn])

    assert isinstance(right, datetime)
    assert isinstance(wrong, ClockRefused)


def test_each_refusal_after_an_acceptance_is_told_at_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    task_now()

    for _ in range(2):
        with off_by(timedelta(days=3)), pytest.raises(ClockRefused):
            task_now()
        task_now()

    assert sum("clock_refused" in str(each.msg) for each in caplog.records) == 2


@pytest.mark.parametrize("difference", WILD)
def test_two_wild_ticks_confirm_each_other_as_little(difference: timedelta) -> None:
    task_now()

    for each in (difference, difference + timedelta(seconds=30), difference * 2):
        with off_by(each), pytest.raises(ClockRefused):
            task_now()
    task_now()
    with off_by(difference + timedelta(minutes=5)), pytest.raises(ClockRefused):
        task_now()


@pytest.mark.parametrize("difference", WILD)
def test_time_that_goes_on_from_there_is_taken_for_right(difference: timedelta) -> None:
    """After a weekend without a worker, or once a clock that was wrong has been put right."""
    task_now()

    with off_by(difference), pytest.raises(ClockRefused, match="The time has leapt"):
        task_now()
    with off_by(difference + timedelta(seconds=61)):
        assert task_now() == TurnMark.objects.get().at
    assert TurnMark.objects.get().refusal == ""


def test_work_that_may_be_a_day_early_vouches_for_no_other() -> None:
    task_now()

    with off_by(timedelta(hours=2)):
        task_now(step=LONG_STEP)
        for _ in range(2):
            with pytest.raises(ClockRefused, match="The time has leapt"):
                task_now()
            task_now(step=LONG_STEP)
    assert task_now() - TurnMark.objects.get().at < NOTED_EVERY


@pytest.mark.parametrize("started", ["once", "in development"])
def test_a_person_vouches_for_the_clock(
    payment: Payment, monkeypatch: pytest.MonkeyPatch, settings: Settings, started: str
) -> None:
    monkeypatch.setattr("config.management.commands.worker.SCHEDULE", {})
    monkeypatch.setattr("config.start_checks.refuse_unsafe", lambda: None)
    monkeypatch.setattr("config.management.commands.worker.Command._work", lambda self: None)
    settings.DEVELOPMENT_MODE = started == "in development"
    task_now()

    with off_by(timedelta(days=3)):
        call_command("worker", once=started == "once")
        expire_payments()

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.EXPIRED


def test_a_supervisor_does_not(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.DEVELOPMENT_MODE = False
    monkeypatch.setattr("config.start_checks.refuse_unsafe", lambda: None)
    monkeypatch.setattr("config.management.commands.worker.Command._work", lambda self: None)
    task_now()

    with off_by(timedelta(days=3)):
        call_command("worker")
        with pytest.raises(ClockRefused):
            expire_payments()


def test_the_instant_is_read_once_and_cut_to_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = utc_now().replace(microsecond=678_912)
    monkeypatch.setattr(clock_check, "database_now", lambda: exact)

    assert checked_now().microsecond == 678_000
