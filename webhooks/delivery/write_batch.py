"""How the threads of one process share a database that has one writer at a time.

A writer that finds SQLite busy sleeps and retries, at random: among dozens of threads one may wait
for seconds. So they queue here instead, and the writes that have queued up are committed in one
transaction, with one sync of the disk for all.
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
    """Hold the write lock, where the database has a single writer."""
    if not _has_one_writer():
        yield
        return
    with _write_lock:
        yield


class WriteBatch:
    """Writes that are committed together where that is faster."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[Callable[[], None], Future[None]]] = []

    def write(self, work: Callable[[], None]) -> None:
        """Run the work in a transaction, perhaps together with others. Raises what it raised.

        If another one fails, so does this one: the caller retries it alone.
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
