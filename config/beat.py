"""Celery's beat, made to send no tick for nothing, and to recover after its clock was wrong."""

import time
from datetime import UTC, datetime
from typing import Any

import structlog
from celery.beat import SchedulingError
from django.db import close_old_connections
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

from config.waiting_work import may_find_work
from core.clock import utc_now
from core.database_away import is_away

# The longest that a task gets no tick while there seems to be nothing for it.
IDLE_SECONDS = 60
# How often to ask whether someone has changed the table of the schedule.
CHANGES_SECONDS = 10
# The most that the clock may drift from elapsed time: NTP adjusts it slowly.
STEP_SECONDS = 1
logger = structlog.get_logger(__name__)

NEVER = datetime.fromtimestamp(0, UTC)
LONG_AGO = datetime.min  # noqa: DTZ901  # the library's clock has no zone


class SteadyEntry(ModelEntry):  # type: ignore[misc]  # it has no types
    """A scheduled task. It is due if a wrong clock recorded its last run in the future.

    Otherwise it would not run until then, even after a restart of beat, as the record is in the
    database. A task may run twice.
    """

    last_run_at: datetime

    def is_due(self) -> Any:
        if self.last_run_at > self._default_now():
            self.last_run_at = NEVER
        return super().is_due()


class SteadyScheduler(DatabaseScheduler):  # type: ignore[misc]  # it has no types
    """A scheduler that sends ticks where there is work, and rebuilds its queue on a set clock.

    A task whose work can be looked for (`config.waiting_work`) gets its ticks while there is some,
    and one a minute otherwise.

    Beat orders upcoming runs by timestamps of the clock at that time. After a clock that was hours
    ahead, tasks due every second would overtake all those that were queued meanwhile.
    """

    Entry = SteadyEntry
    _clock = 0.0
    _heap_invalidated: bool
    _asked_at = float("-inf")

    def __init__(self, *args: Any, **options: Any) -> None:
        self._sent_at: dict[str, float] = {}
        super().__init__(*args, **options)

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a tick, unless it would find nothing.

        If the broker does not take it, log a line: the next tick does the work. The library logs
        two stacks for each, gigabytes a day.
        """
        now = time.monotonic()
        is_idle = now < self._sent_at.get(entry.name, float("-inf")) + IDLE_SECONDS
        if is_idle and not _may_find_work(entry.name):
            return
        try:
            self.apply_async(entry, producer=producer, advance=False)
            self._sent_at[entry.name] = now
        except SchedulingError as error:
            logger.error("tick_not_sent", task=entry.name, reason=str(error).partition("\n")[0])

    def schedule_changed(self) -> bool:
        """Ask now and then: the library asks at each tick, which is five times a second."""
        now = time.monotonic()
        if now < self._asked_at + CHANGES_SECONDS:
            return False
        self._asked_at = now
        return bool(super().schedule_changed())

    def adjust(self, n: Any, drift: float = 0) -> Any:
        """Return when a task is due, exactly.

        The library is ten milliseconds early, and spins until it is due.
        """
        return super().adjust(n, drift)

    def schedules_equal(self, old_schedules: Any, new_schedules: Any) -> bool:
        """Return whether the queue still holds. Entries change only where all are read anew.

        The library compares each with itself at each tick, which was a third of what beat cost.
        """
        is_equal = not self._heap_invalidated and old_schedules is not None
        self._heap_invalidated = False
        return is_equal

    def tick(self, *args: Any, **kwargs: Any) -> float:
        clock = time.time() - time.monotonic()
        if abs(clock - self._clock) > STEP_SECONDS:
            self._clock = clock
            self._last_full_sync = LONG_AGO  # makes it reload and reorder all entries
            self._last_sync = None  # has the next tick written, which BeatSilent goes by
        return float(super().tick(*args, **kwargs))


def _may_find_work(task: str) -> bool:
    """Look whether a task has work; without an answer, suppose so: the task will say what fails."""
    try:
        return may_find_work(task, now=utc_now())
    except Exception as error:  # beat would end, and no task would run any more
        if not is_away(error):
            logger.exception("look_failed", task=task)
        return True
    finally:
        close_old_connections()
