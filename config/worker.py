"""Run the schedule in one process, without a broker: each periodic task in threads of its own.

A slow task delays no other; a failure is logged, and the task runs again at its next turn.
While nothing is written to the database, tasks that wait for rows run less often.
"""

import threading
import time
from collections.abc import Callable, Mapping

import structlog
from django.db import close_old_connections
from django.utils.module_loading import import_string

from config.celery import NoDatabase
from config.database_writes import DatabaseWrites
from config.schedule import Periodic
from core.clock import ClockRefused
from core.task_runs import recorder

logger = structlog.get_logger(__name__)


class Worker:
    """Runs a schedule until it is stopped."""

    def __init__(self, schedule: Mapping[str, Periodic]) -> None:
        self._stop = threading.Event()
        self._writes = DatabaseWrites()
        self._threads = [
            threading.Thread(target=self._repeat, args=turn, name=turn[0], daemon=True)
            for turn in [
                (name, import_string(periodic.task), periodic)
                for name, periodic in schedule.items()
                for _ in range(periodic.threads)
            ]
        ]

    def start(self) -> None:
        """Start; every task runs for the first time at once."""
        threading.Thread(target=self._writes.watch, name="look for writes", daemon=True).start()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let the current runs finish, and start no others."""
        self._stop.set()
        self._writes.end()

    def join(self, seconds: float) -> list[str]:
        """Wait for the current runs; return the names of those that took too long."""
        deadline = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sorted({thread.name for thread in self._threads if thread.is_alive()})

    def _repeat(self, name: str, task: Callable[[], object], periodic: Periodic) -> None:
        while not self._stop.is_set():
            started, seen = time.monotonic(), self._writes.seen
            run(name, task)
            self._stop.wait(_left(started, periodic.alone or periodic.seconds))
            self._writes.wait(seen, seconds=_left(started, periodic.idle or periodic.seconds))


def _left(started: float, seconds: float) -> float:
    return max(0.0, started + seconds - time.monotonic())


def run(name: str, task: Callable[[], object]) -> bool:
    """Run a task once; return whether it succeeded. Never raises."""
    close_old_connections()
    succeeded = False
    try:
        task()
        succeeded = True
    except (ClockRefused, NoDatabase):  # the one has raised its own alarm, the other is logged
        pass
    except Exception:
        logger.exception("task failed", task=name)
    recorder.note(name, succeeded=succeeded)
    recorder.write("worker")
    close_old_connections()
    return succeeded
