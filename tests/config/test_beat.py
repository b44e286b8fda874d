"""What beat does where its clock is set: ahead or back, for a while or for good."""

from datetime import timedelta

import pytest
import time_machine
from celery.beat import SchedulingError
from django_celery_beat import schedulers

from tests.config.beats import NOW, Beat, at

pytestmark = pytest.mark.django_db
STEPS = [timedelta(hours=2), timedelta(minutes=10), timedelta(minutes=-10), timedelta(hours=-2)]
EACH_SECONDS = {"seal transfers": 2, "expire payments": 15, "settle payments": 5}


@pytest.fixture
def beat(monkeypatch: pytest.MonkeyPatch) -> Beat:
    # The test's rows are in one transaction, which ends with its connection.
    monkeypatch.setattr(schedulers, "close_old_connections", lambda: None)
    with time_machine.travel(NOW, tick=False):
        return Beat()


def test_each_task_is_sent_when_it_is_due(beat: Beat) -> None:
    assert EACH_SECONDS.keys() <= beat.sent_at(at(60))
    assert not EACH_SECONDS.keys() & beat.sent_at(at(61))
    assert EACH_SECONDS.keys() & beat.sent_at(at(62.5)) == {"seal transfers"}


def test_whether_the_schedule_has_changed_is_asked_every_ten_seconds(
    beat: Beat, monkeypatch: pytest.MonkeyPatch
) -> None:
    instants = iter([1e9, 1e9 + 0.2, 1e9 + 9.9, 1e9 + 10])
    monkeypatch.setattr("config.beat.time.monotonic", lambda: next(instants))
    monkeypatch.setattr(schedulers.DatabaseScheduler, "schedule_changed", lambda _: True)

    changed = [beat.scheduler.schedule_changed() for _ in range(4)]

    assert changed == [True, False, False, True]


def test_beat_waits_until_a_task_is_due_and_no_less(beat: Beat) -> None:
    assert beat.scheduler.adjust(2.0) == 2.0


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_clock_that_was_wrong_for_a_moment_keeps_no_task_from_its_turn(
    beat: Beat, step: timedelta
) -> None:
    beat.sent_at(at(60))
    beat.sent_at(at(61) + step)

    assert EACH_SECONDS.keys() <= beat.sent_at(at(62)) | beat.sent_at(at(77))


@pytest.mark.parametrize("step", STEPS, ids=str)
def test_a_clock_that_is_set_for_good_keeps_no_task_from_its_turn(
    beat: Beat, step: timedelta
) -> None:
    beat.sent_at(at(60))
    beat.sent_at(at(61) + step)

    assert EACH_SECONDS.keys() <= beat.sent_at(at(77) + step)


def test_the_first_tick_after_a_clock_was_set_is_written_at_once(beat: Beat) -> None:
    """Otherwise BeatSilent fires for what a clock an hour behind has written, for minutes."""
    beat.sent_at(at(60) - timedelta(hours=1))
    with time_machine.travel(at(61) - timedelta(hours=1), tick=False):
        beat.scheduler._do_sync()
        assert not beat.scheduler.should_sync()

    beat.sent_at(at(62))

    assert beat.scheduler.should_sync()


def test_a_beat_that_starts_later_forgets_what_a_wrong_clock_noted(beat: Beat) -> None:
    beat.sent_at(at(60) + timedelta(hours=2))
    with time_machine.travel(at(61), tick=False):
        beat.scheduler.sync()
        started = Beat()

    assert EACH_SECONDS.keys() <= started.sent_at(at(62))
    assert not EACH_SECONDS.keys() & started.sent_at(at(63))


def test_a_broker_that_takes_no_tick_is_a_line_for_each(
    beat: Beat, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With both stacks of the library, a full Redis cost gigabytes of log a day."""

    def refuse(*_: object, **__: object) -> None:
        raise SchedulingError("Couldn't apply scheduled task: OOM\nand more")

    monkeypatch.setattr(beat.scheduler, "apply_async", refuse)
    del beat.scheduler.apply_entry

    sent = beat.sent_at(at(60))

    assert sent == set()
    said = [each.getMessage() for each in caplog.records]
    assert len(said) >= len(EACH_SECONDS)
    assert all("tick_not_sent" in line and "OOM" in line for line in said)
    assert not any("and more" in line for line in said)
    assert max(map(len, said)) < 400
    assert not any(each.exc_info for each in caplog.records)
