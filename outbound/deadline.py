"""A deadline that nobody can drip past: it shuts the connection down, whoever is reading from it.

Timeouts of sockets start anew with every byte. The read that is cut short may still look like a
complete answer, so `expired` outweighs what was read.
"""

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self


class Deadline:
    """Use it around the whole of an exchange, and tell it of each socket."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._watched: list[socket.socket] = []
        self.expired = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            for watched in self._watched:
                watched.close()
            self._watched.clear()

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def watch(self, connection: socket.socket) -> None:
        """Shut this connection down at the deadline, or now where it has passed.

        TLS takes the descriptor over, so a second one of the same connection is kept.
        """
        with self._lock:
            self._watched.append(connection.dup())
            if self.expired:
                self._shut()

    def _expire(self) -> None:
        with self._lock:
            self.expired = True
            self._shut()

    def _shut(self) -> None:
        for watched in self._watched:
            with contextlib.suppress(OSError):
                watched.shutdown(socket.SHUT_RDWR)
