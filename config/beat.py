"""Celery's beat, made to recover after its clock was wrong for a while."""

import time
from datetime import UTC, datetime
from typing import Any

import structlog
from celery.beat import SchedulingError
from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

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
    """A scheduler that rebuilds its queue when the clock is set.

    Beat orders upcoming runs by timestamps of the clock at that time. After a clock that was hours
    ahead, tasks due every second would overtake all those that were queued meanwhile.
    """

    Entry = SteadyEntry
    _clock = 0.0

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Send a tick. If the broker does not take it, log a line: the next tick does the work.

        The library logs two stacks for each, gigabytes a day.
        """
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            logger.error("tick_not_sent", task=entry.name, reason=str(error).partition("\n")[0])

    def tick(self, *args: Any, **kwargs: Any) -> float:
        clock = time.time() - time.monotonic()
        if abs(clock - self._clock) > STEP_SECONDS:
            self._clock = clock
            self._last_full_sync = LONG_AGO  # makes it reload and reorder all entries
            self._last_sync = None  # has the next tick written, which BeatSilent goes by
        return float(super().tick(*args, **kwargs))
