"""What background processes report: when each task ended, and that they are alive.

They serve no metrics of their own: a process keeps its reports in memory and writes them now and
then, in two statements, and every web process exposes what is written.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import Q

from core.clock import utc_now
from core.database_away import log_failure
from core.error_count import error_count
from core.models import ProcessMark, TaskRun

logger = logging.getLogger(__name__)

# A process counts as alive for two minutes. In `manage.py worker`, each write to the database wakes
# the tasks that wait for one.
WRITE_SECONDS = 60.0
FORGOTTEN_AFTER = timedelta(days=1)
LEASE = timedelta(seconds=45)  # a task is stopped before it ends
DRILL = "restore drill"


class RunRecorder:
    """The unwritten reports of one process. `kind` is what it is: worker or dispatcher."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ended: dict[tuple[str, bool], datetime] = {}
        self._written_at = float("-inf")

    def note(self, task: str, *, succeeded: bool) -> None:
        """Note that a run of a task has ended now."""
        with self._lock:
            self._ended[task, succeeded] = utc_now()

    def write(self, kind: str, *, every: float = WRITE_SECONDS) -> None:
        """Write the reports, unless that was done a moment ago. Never raises."""
        with self._lock:
            if time.monotonic() < self._written_at + every:
                return
            self._written_at = time.monotonic()
            ended, self._ended = self._ended, {}
        try:
            _store(kind, ended)
        except (DatabaseError, InterfaceError) as error:
            log_failure(logger, "task runs not written", error)


@transaction.atomic
def _store(kind: str, ended: dict[tuple[str, bool], datetime]) -> None:
    now = utc_now()
    mark = ProcessMark(id=_name(kind), kind=kind, seen_at=now, errors=error_count().count)
    ProcessMark.objects.bulk_create(
        [mark], update_conflicts=True, unique_fields=["id"], update_fields=["seen_at", "errors"]
    )
    for succeeded, column in ((True, "succeeded_at"), (False, "failed_at")):
        runs = [
            TaskRun(name=task, **{column: at})
            for (task, well), at in sorted(ended.items())
            if well == succeeded
        ]
        TaskRun.objects.bulk_create(
            runs, update_conflicts=True, unique_fields=["name"], update_fields=[column]
        )
    ProcessMark.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


@contextmanager
def exclusive_run(task: str, *, now: datetime) -> Iterator[bool]:
    """Yield whether this process may run a task: False while another is running it."""
    TaskRun.objects.get_or_create(name=task)
    run = TaskRun.objects.filter(name=task)
    free = run.filter(Q(lease_until=None) | Q(lease_until__lte=now))
    until = now + LEASE
    if not free.update(lease_until=until):
        yield False
        return
    try:
        yield True
    finally:
        run.filter(lease_until=until).update(lease_until=None)  # not a lease taken since


def note_drill() -> None:
    """Note that a backup was restored and proven just now, which is not a scheduled task."""
    TaskRun.objects.update_or_create(name=DRILL, defaults={"succeeded_at": utc_now()})


def _name(kind: str) -> str:
    return f"{kind}@{socket.gethostname()[:80]}:{os.getpid()}"


recorder = RunRecorder()
