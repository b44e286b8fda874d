"""Processes that start and end together: the web server and the worker of `make run`."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from config.local.guard import STOP_SECONDS, kill_group

ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_GUARD = [sys.executable, "-S", "-m", "config.local.guard"]


class Crash(Exception):
    """A process ended that should not have."""


class Processes:
    """Starts and watches processes. A context manager that leaves no process behind.

    If this process is killed, a guard that knows the others sees its input close and ends them.
    """

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        # Signals are kept in a pipe until `watch` reads it.
        self._asked, note = os.pipe()
        os.set_blocking(note, False)
        signal.set_wakeup_fd(note, warn_on_full_buffer=False)
        for number in ASKING:
            signal.signal(number, lambda *_: None)
        # A session of its own, so that our signals do not reach it.
        reading, self._told = os.pipe()
        self._guard = subprocess.Popen(_GUARD, stdin=reading, start_new_session=True)  # noqa: S603  # our own
        os.close(reading)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running.values():
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in self._running.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, deadline - time.monotonic()))
            kill_group(process.pid)
            process.wait()
        self._guard.kill()
        self._guard.wait()

    def start(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start a process with our environment and these additions."""
        # A session of its own, so that Ctrl-C reaches it only once, through us.
        process = subprocess.Popen(  # noqa: S603  # our own command lines
            command, env=os.environ | (environment or {}), start_new_session=True
        )
        self._running[name] = process
        os.write(self._told, f"{process.pid}\n".encode())

    def watch(self, seconds: float) -> bool:
        """Wait for at most so many seconds; return whether a stop was requested. Raises Crash."""
        asked, _, _ = select.select([self._asked], [], [], seconds)
        if asked:
            return True
        for name, process in self._running.items():
            if (code := process.poll()) is not None:
                raise Crash(f"The {name} stopped ({_meaning(code)}). Its last words stand above.")
        return False


def _meaning(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
