"""What happened to the running service, when, and what CPU time it took meanwhile."""

import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.serving import cpu_seconds

REDIS = ("Redis killed", "Redis frozen", "Redis emptied")
# What the calm before a fault is called: this, and the name of the fault.
BEFORE = "before "


@dataclass(frozen=True)
class Window:
    """A fault, or the calm before it: when, in seconds of the monotonic clock, and the CPU time in
    seconds that all parts of the service took meanwhile.
    """

    name: str
    began: float
    ended: float
    cpu_seconds: float

    def __contains__(self, instant: float) -> bool:
        return self.began <= instant < self.ended


def watch(
    name: str, parts: "Mapping[str, subprocess.Popen[bytes]]", happen: Callable[[], None]
) -> Window:
    """Have something happen; return when it did. A part that is started counts from its start."""
    used, began = _cpu_by_process(parts), time.monotonic()
    happen()
    ended, after = time.monotonic(), _cpu_by_process(parts)
    spent = sum(seconds - used.get(pid, 0.0) for pid, seconds in after.items())
    return Window(name, began, ended, spent)


def _cpu_by_process(parts: "Mapping[str, subprocess.Popen[bytes]]") -> dict[int, float]:
    """Return the CPU seconds of each part so far, with those of its children."""
    return {process.pid: cpu_seconds(process.pid) for process in list(parts.values())}
