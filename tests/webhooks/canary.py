"""A listener on every address of this machine that counts who comes."""

import socket
import threading
from types import TracebackType
from typing import Self


class Canary:
    """Use it as a context; `port` where it sits, `visits` how many connections it has had."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        self.port: int = self._socket.getsockname()[1]
        self._visits = 0
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    @property
    def visits(self) -> int:
        """How many have come, after one of our own has shown that it counts."""
        before = self._visits
        with socket.socket() as own:
            own.connect(("127.0.0.1", self.port))
            own.recv(1)
        assert self._visits > before
        self._visits -= 1
        return self._visits

    def _listen(self) -> None:
        while True:
            try:
                visitor, _ = self._socket.accept()
            except OSError:
                return
            self._visits += 1
            visitor.close()
