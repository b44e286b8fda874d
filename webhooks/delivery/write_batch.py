"""What the senders of one process have to write to a database that has one writer at a time.

What gathers while another writes is written in one transaction, so that one sync of the disk serves
it all.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future

from django.db import connection, transaction


class Gathering:
    """Writes that are done together where that is quicker."""

    def __init__(self) -> None:
        self._lock, self._turn = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[Callable[[], None], Future[None]]] = []

    def write(self, work: Callable[[], None]) -> None:
        """Do the work in a transaction, perhaps with that of others. Raises what it raised.

        Where the work of another fails, so does ours: the caller does it again by itself.
        """
        if connection.features.has_select_for_update:  # as many writers as there are
            work()
            return
        mine: Future[None] = Future()
        with self._lock:
            self._waiting.append((work, mine))
        with self._turn:
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
