"""A clock that can be set. Python imports this at start-up if its folder is on PYTHONPATH.

The file CLOCK_FILE contains by how many seconds the process's clock is ahead (negative: behind);
the monotonic clock is not affected. Forked processes follow the same file.
"""

import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

LOOK_SECONDS = 0.1
_pause = threading.Event()


def _follow(file: Path) -> None:
    travelled: time_machine.travel | None = None
    before = 0
    while True:
        ahead = int(file.read_text() or 0) if file.exists() else 0
        if ahead != before:
            if travelled:
                travelled.stop()
            travelled = _ahead(ahead) if ahead else None
            before = ahead
        _pause.wait(LOOK_SECONDS)


def _ahead(seconds: int) -> time_machine.travel:
    travelled = time_machine.travel(datetime.now(UTC) + timedelta(seconds=seconds), tick=True)
    travelled.start()
    return travelled


def _start() -> None:
    place = Path(os.environ["CLOCK_FILE"])
    threading.Thread(target=_follow, args=[place], daemon=True).start()


if "CLOCK_FILE" in os.environ:
    _start()
    os.register_at_fork(after_in_child=_start)
