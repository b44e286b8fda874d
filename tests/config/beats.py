"""The scheduler that beat runs, told the time by a test."""

from datetime import UTC, datetime, timedelta

import time_machine
from celery.beat import ScheduleEntry
from kombu.utils.imports import symbol_by_name

from config.celery import app

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class Beat:
    """The scheduler that beat runs, and the names of what it has sent."""

    def __init__(self) -> None:
        self.scheduler = symbol_by_name(app.conf.beat_scheduler)(app=app)
        self.scheduler._finalize.cancel()  # it would write when the process ends
        self.scheduler.apply_entry = self._note
        self.sent: list[str] = []

    def _note(self, entry: ScheduleEntry, producer: object = None) -> None:
        self.sent.append(str(entry.name))

    def sent_at(self, instant: datetime) -> set[str]:
        """Return what it sends at an instant: it sends one task a tick, until none is due."""
        self.sent.clear()
        with time_machine.travel(instant, tick=False):
            while self.scheduler.tick() == 0:
                pass
        return set(self.sent)


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)
