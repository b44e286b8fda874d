"""How the threads of one process write to a database that has one writer at a time.

SQLite lets a writer that finds it busy sleep and try again, at random: among dozens of threads one
may try for seconds. So they wait for each other in here; and what has gathered meanwhile is written
in one transaction, so that one sync of the disk serves them all.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from django.db import connection, transaction

_write_lock = threading.Lock()


def _has_one_writer() -> bool:
    return not connection.features.has_select_for_update


@contextmanager
def write_lock() -> Iterator[None]:
    """Hold the turn to write, where there is one to hold."""
    if not _has_one_writer():
        yield
        return
    with _write_lock:
        yield


class WriteBatch:
    """Writes that are done together where that is quicker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Callable[[], None], Future[None]]] = []

    def write(self, work: Callable[[], None]) -> None:
        """Do the work in a transaction, perhaps with that of others. Raises what it raised.

        Where the work of another fails, so does ours: the caller does it again by itself.
        """
        if not _has_one_writer():
            work()
            return
        mine: Future[None] = Future()
        with self._lock:
            self._waiting.append((work, mine))
        with _write_lock:
            if not mine.done():
                self._write_all()
        mine.result()

    def _write_all(self) -> None:
        with self._lock:
            together, self._waiting = self._waiting, []
        try:
            with transaction.atomic():
                for work, _ in together:
                    work()
        except Exception as error:
            for _, future in together:
                future.set_exception(error)
        else:
            for _, future in together:
                future.set_result(None)
