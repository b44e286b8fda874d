"""The writes of one process's dispatcher threads, for a database with one writer at a time.

Those that queue up while another is written are committed in one transaction, with one disk sync
for all.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from django.db import connection, transaction


class WriteBatch:
    """Writes that are committed together where that is faster."""

    def __init__(self) -> None:
        self._lock, self._write_lock = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[Callable[[], None], Future[None]]] = []

    def write(self, work: Callable[[], None]) -> None:
        """Run the work in a transaction, perhaps together with others. Raises what it raised.

        If another one fails, so does this one: the caller retries it alone.
        """
        if connection.features.has_select_for_update:  # any number of writers
            work()
            return
        mine: Future[None] = Future()
        with self._lock:
            self._waiting.append((work, mine))
        with self._write_lock:
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
