"""Restarts the service's processes when they exit, as systemd does with `Restart=always`."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

RESTART_SECONDS = 0.3


class Supervisor(threading.Thread):
    """A context manager within which every part that exits is restarted, however it ended."""

    def __init__(
        self, parts: "dict[str, subprocess.Popen[bytes]]", start: Callable[[str], None]
    ) -> None:
        super().__init__(name="supervisor", daemon=True)
        self.parts, self.start_part = parts, start
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(RESTART_SECONDS):
            for part, process in list(self.parts.items()):
                if process.poll() is not None:
                    _end_children(process)
                    self.start_part(part)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stopped.set()
        self.join()


def _end_children(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError):  # it left none behind
        os.killpg(process.pid, signal.SIGKILL)
