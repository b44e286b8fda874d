"""Detect writes to the database at almost no cost.

This lets a process without a broker poll often, yet run tasks only when there may be something to
do: a poll takes microseconds, running a task milliseconds.
"""

import threading
import time

from django.db import close_old_connections, connection

POLL_SECONDS = 0.1
SECONDS_AFTER_FAILURE = 1
# The counter that each database advances when another transaction has written.
_COUNTERS = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT pg_current_wal_insert_lsn()"}


class DatabaseWrites:
    """Polls for writes in a thread of its own; other threads wait for the next write.

    A connection does not see its own writes in the counter, so the polling one does nothing else.
    """

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._seen = 0
        self._last: object = None
        self._is_over = False

    @property
    def seen(self) -> int:
        """How many polls have found a write. Read it before working, pass it to `wait` after."""
        return self._seen

    def watch(self) -> None:
        """Poll until `end` is called."""
        while not self._is_over:
            time.sleep(self._look())
        connection.close()

    def wait(self, seen: int, *, seconds: float) -> None:
        """Wait for a write since `seen`, for `end`, or for at most so many seconds."""
        with self._news:
            self._news.wait_for(lambda: self._is_over or self._seen != seen, timeout=seconds)

    def end(self) -> None:
        """Stop polling, and release all waiting threads."""
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def _look(self) -> float:
        """Poll once and notify of a write; return the seconds until the next poll."""
        pause = POLL_SECONDS
        try:
            written = _written_so_far()
        except Exception:
            # The tasks will run into the same error, and log it.
            close_old_connections()
            written, pause = object(), SECONDS_AFTER_FAILURE
        if written != self._last:
            self._last = written
            with self._news:
                self._seen += 1
                self._news.notify_all()
        return pause


def _written_so_far() -> object:
    with connection.cursor() as cursor:
        cursor.execute(_COUNTERS[connection.vendor])
        return cursor.fetchone()
