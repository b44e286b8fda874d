"""Several processes that live and die together: the web server and the worker of `make run`."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

STOP_SECONDS = 25
_ASKED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Crash(Exception):
    """A process ended that should not have."""


class Processes:
    """Starts processes and watches them. Use as a context: at its end, none is left."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "Processes":
        # Remembered until `watch` looks.
        signal.pthread_sigmask(signal.SIG_BLOCK, _ASKED)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running.values():
            process.terminate()
        deadline = time.monotonic() + STOP_SECONDS
        for process in self._running.values():
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED)

    def start(
        self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start a process with the environment of this one, and what is added."""
        # A session of its own: Ctrl-C reaches it only once, through us.
        self._running[name] = subprocess.Popen(  # noqa: S603  # our own command lines
            command,
            env=os.environ | (environment or {}),
            start_new_session=True,
            preexec_fn=_hear_signals,
        )

    def watch(self, seconds: float) -> bool:
        """Wait for so long; tell whether someone asked to stop. Raises Crash."""
        asked = signal.sigtimedwait(_ASKED, seconds)
        if asked:
            return True
        for name, process in self._running.items():
            if (code := process.poll()) is not None:
                raise Crash(f"The {name} stopped ({_meaning(code)}). Its last words stand above.")
        return False


def _hear_signals() -> None:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKED)


def _meaning(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
