"""Celery's beat, which goes on where its clock was wrong for a while."""

import time
from datetime import UTC, datetime
from typing import Any

from django_celery_beat.schedulers import DatabaseScheduler, ModelEntry

# What the clock may move by beside the time that passes: servers of time draw it slowly.
STEP_SECONDS = 1
NEVER = datetime.fromtimestamp(0, UTC)
LONG_AGO = datetime.min  # noqa: DTZ901  # the library's clock has no zone


class SteadyEntry(ModelEntry):  # type: ignore[misc]  # it has no types
    """A task of the schedule. Where a wrong clock noted a run that lies ahead, it is due.

    It would not be until then: the note stands in the database, so that not even a restart of beat
    would help. A task may run twice.
    """

    last_run_at: datetime

    def is_due(self) -> Any:
        if self.last_run_at > self._default_now():
            self.last_run_at = NEVER
        return super().is_due()


class SteadyScheduler(DatabaseScheduler):  # type: ignore[misc]  # it has no types
    """A scheduler that plans anew when its clock is set.

    Beat keeps what comes next in order of instants, each of the clock as it was. After one that was
    hours ahead, what is due every second would pass what was put in place meanwhile.
    """

    Entry = SteadyEntry
    _clock = 0.0

    def tick(self, *args: Any, **kwargs: Any) -> float:
        clock = time.time() - time.monotonic()
        if abs(clock - self._clock) > STEP_SECONDS:
            self._clock = clock
            self._last_full_sync = LONG_AGO  # it reads all again, and puts them in order
        return float(super().tick(*args, **kwargs))
