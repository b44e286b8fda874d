"""Whether anything was written to the database meanwhile, asked at next to no cost.

So a process that no broker wakes can look often, and yet work only where there may be something to
do: the question takes microseconds, a turn of a task milliseconds.
"""

import threading
import time

from django.db import close_old_connections, connection

POLL_SECONDS = 0.1
SECONDS_AFTER_FAILURE = 1
# What each database counts up when another transaction has written.
_COUNTERS = {"sqlite": "PRAGMA data_version", "postgresql": "SELECT pg_current_wal_insert_lsn()"}


class DatabaseWrites:
    """Looks for writes in a thread of its own; other threads wait for the next one.

    A connection does not count its own writes: the one that looks does nothing else.
    """

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._seen = 0
        self._last: object = None
        self._is_over = False

    @property
    def seen(self) -> int:
        """How many looks have found something: a wait begins with what was seen before the work."""
        return self._seen

    def watch(self) -> None:
        """Look until it is over."""
        while not self._is_over:
            time.sleep(self._look())
        connection.close()

    def wait(self, seen: int, *, seconds: float) -> None:
        """Wait until more than that was seen, until it is over, or for so long."""
        with self._news:
            self._news.wait_for(lambda: self._is_over or self._seen != seen, timeout=seconds)

    def end(self) -> None:
        """Stop looking, and let no one wait any longer."""
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def _look(self) -> float:
        """Tell of a write, if there was one; return the seconds until the next look."""
        pause = POLL_SECONDS
        try:
            written = _written_so_far()
        except Exception:
            # Its tasks find out for themselves what is wrong, and log it.
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
