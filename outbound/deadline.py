"""A deadline that a slow peer cannot outlast: it shuts the connection down under any read.

Socket timeouts restart with every byte. A read that is cut short may still look like a complete
response, so `expired` overrides what was read.
"""

import contextlib
import socket
import threading
import time
from types import TracebackType
from typing import Self


class Deadline:
    """Wrap the whole exchange in it, and let it `watch` each socket."""

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

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def watch(self, connection: socket.socket) -> None:
        """Shut this connection down at the deadline, or now if that has passed.

        TLS takes over the descriptor, so a duplicate of it is kept.
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
