"""What /metrics says of payments and messages, and of the work beside requests."""

import logging
import re
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.test import Client
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from config import worker
from core import task_runs
from core.clock import utc_now
from core.error_count import error_count
from core.models import ProcessMark, TaskRun
from core.task_runs import RunRecorder
from merchants.models import Merchant
from messages.models import Channel, Message
from messages.planning import plan_message
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def measured(client: Client):
    def measure(series: str) -> float:
        found = re.search(rf"^{re.escape(series)} (\S+)$", client.get("/metrics").text, re.M)
        assert found, series
        return float(found[1])

    return measure


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> RunRecorder:
    fresh = RunRecorder()
    monkeypatch.setattr(worker, "recorder", fresh)
    monkeypatch.setattr(worker, "close_old_connections", lambda: None)  # the test's own
    return fresh


def test_a_task_says_when_it_ended_well_and_when_it_failed(recorder: RunRecorder, measured) -> None:
    before = utc_now().timestamp()
    worker.run("expire payments", lambda: None)
    recorder._written_at = float("-inf")
    worker.run("retry refunds", lambda: 1 // 0)

    assert measured('task_succeeded_timestamp_seconds{task="expire payments"}') >= before
    assert measured('task_failed_timestamp_seconds{task="expire payments"}') == 0
    assert measured('task_failed_timestamp_seconds{task="retry refunds"}') >= before
    assert measured('task_succeeded_timestamp_seconds{task="retry refunds"}') == 0
    assert measured('task_period_seconds{task="expire payments"}') == 15


def test_news_are_written_now_and_then(recorder: RunRecorder) -> None:
    recorder.note("one", succeeded=True)
    recorder.write("worker")
    recorder.note("two", succeeded=True)
    recorder.write("worker")

    assert list(TaskRun.objects.values_list("name", flat=True)) == ["one"]


def test_a_later_success_leaves_the_failure_on_record(recorder: RunRecorder) -> None:
    for succeeded in (False, True):
        recorder.note("one", succeeded=succeeded)
        recorder.write("worker", every=0)

    run = TaskRun.objects.get()
    assert None not in (run.failed_at, run.succeeded_at)


def test_background_processes_show_that_they_are_alive(
    recorder: RunRecorder, measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", "memory://")
    recorder.write("worker", every=0)
    assert measured('background_processes_alive{kind="dispatcher"}') == 0

    recorder.write("dispatcher", every=0)

    assert measured('background_processes_alive{kind="dispatcher"}') == 1
    ProcessMark.objects.update(seen_at=utc_now() - timedelta(minutes=3))
    assert measured('background_processes_alive{kind="dispatcher"}') == 0


def test_what_a_clock_ahead_of_ours_has_written_is_no_sign_of_life(
    recorder: RunRecorder, measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", "memory://")
    recorder.write("worker", every=0)
    ahead = utc_now() + timedelta(hours=1)
    ProcessMark.objects.update(seen_at=ahead)
    every = IntervalSchedule.objects.create(every=60, period=IntervalSchedule.SECONDS)
    PeriodicTask.objects.create(name="a", task="a", interval=every, last_run_at=ahead)

    assert measured('background_processes_alive{kind="worker"}') == 0
    assert measured("beat_ticked_timestamp_seconds") == 0


def test_without_a_broker_the_worker_is_dispatcher_and_beat_as_well(
    recorder: RunRecorder, measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)
    assert measured('background_processes_alive{kind="dispatcher"}') == 0
    assert measured("beat_ticked_timestamp_seconds") == 0
    before = utc_now().timestamp()

    recorder.write("worker")

    assert measured('background_processes_alive{kind="worker"}') == 1
    assert measured('background_processes_alive{kind="dispatcher"}') == 1
    assert measured("beat_ticked_timestamp_seconds") >= before - 1


def test_a_drill_of_the_backup_is_noted(measured) -> None:
    assert measured("restore_drilled_timestamp_seconds") == 0
    before = utc_now().timestamp()

    call_command("drilled", stdout=StringIO())

    assert measured("restore_drilled_timestamp_seconds") >= before


def test_one_that_has_been_gone_for_a_day_is_forgotten(recorder: RunRecorder) -> None:
    at = utc_now() - timedelta(days=2)
    ProcessMark.objects.create(id="worker@there:1", kind="worker", seen_at=at, errors=3)

    recorder.write("worker")

    assert [mark.errors for mark in ProcessMark.objects.all()] == [error_count().count]


def test_a_database_that_is_away_stops_no_task(
    recorder: RunRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(task_runs, "_store", refuse)
    assert worker.run("expire payments", lambda: None)


def test_errors_in_the_log_are_counted(measured) -> None:
    logging.getLogger("payouts.tests").error("planted")
    before = measured('log_errors_total{logger="payouts"}')

    logging.getLogger("payouts.tests").error("planted")
    logging.getLogger("payouts.tests").warning("planted")

    assert measured('log_errors_total{logger="payouts"}') == before + 1


def test_payments_are_counted_by_status_mode_and_livemode(
    api: Api, merchant: Merchant, measured
) -> None:
    series = 'payments{livemode="test",payment_mode="DYNAMIC_PAY",status="created"}'
    api(merchant).post("/v1/payments", {"amount": 100})
    api(merchant).post("/v1/payments", {"amount": 100})

    assert measured(series) == 2


@pytest.mark.real_clock("how long it waits is the database's to say")
def test_messages_that_wait_and_those_that_failed_are_told_apart(measured) -> None:
    now = utc_now()
    for number in range(3):
        plan_message(
            channel=Channel.SMS,
            kind="pin_set",
            recipient="+12425550100",
            about=f"cus_{number}",
            livemode=True,
            text="Hello",
            now=now - timedelta(minutes=10),
        )
    Message.objects.filter(about="cus_1").update(status="failed")
    Message.objects.filter(about="cus_2").update(attempts=1, due_at=now + timedelta(minutes=10))

    assert 600 <= measured('messages_longest_wait_seconds{channel="sms"}') < 660
    assert measured('messages_unsent{channel="sms"}') == 1
    assert measured('messages_retried{channel="sms"}') == 1
    assert measured('messages_longest_wait_seconds{channel="email"}') == 0


def test_without_a_broker_none_is_missed(measured) -> None:
    assert measured("broker_up") == 1
