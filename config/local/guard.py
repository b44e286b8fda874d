"""End processes whose parent was killed before it could: `python -m config.local.guard`.

Reads their ids, one per line, from standard input, which closes when the parent ends. Each leads
a process group of its own.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

STOP_SECONDS = 25
POLL_SECONDS = 0.1


def main() -> None:
    """Wait for the parent to end, then end the processes that it left behind."""
    end([int(line) for line in sys.stdin])


def end(pids: Sequence[int]) -> None:
    """Ask the processes to stop; after `STOP_SECONDS`, kill the rest, children included."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while any(map(_is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    for pid in pids:
        kill_group(pid)


def kill_group(pid: int) -> None:
    """Kill a process and those it started, if any of them is left."""
    with suppress(ProcessLookupError, PermissionError):  # the latter on macOS, for a dead one
        os.killpg(pid, signal.SIGKILL)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main()
