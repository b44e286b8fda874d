"""The processes of `make run` live and die together."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from config.processes import Crash, Processes

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def _pids(processes: Processes) -> list[int]:
    return [process.pid for process in processes._running.values()]


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _run_until_one_ends(both: Processes) -> None:
    with both:
        for _ in range(100):
            both.watch(0.1)


def test_the_end_of_one_is_the_end_of_all() -> None:
    both = Processes()
    both.start("web server", SLEEP)
    both.start("worker", [sys.executable, "-c", "raise SystemExit(3)"])

    with pytest.raises(Crash, match=r"The worker stopped \(exit code 3\)"):
        _run_until_one_ends(both)

    assert [pid for pid in _pids(both) if _is_alive(pid)] == []


def test_a_killed_one_is_named() -> None:
    both = Processes()
    both.start("web server", SLEEP)
    os.kill(_pids(both)[0], signal.SIGKILL)

    with pytest.raises(Crash, match="killed by SIGKILL"):
        _run_until_one_ends(both)


WATCHER = f"""
from config.processes import Processes
with Processes() as both:
    both.start("web server", {SLEEP!r})
    print(*[process.pid for process in both._running.values()], flush=True)
    while not both.watch(0.1):
        pass
    print("asked", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_them_in_order(number: signal.Signals) -> None:
    watcher = subprocess.Popen([sys.executable, "-c", WATCHER], stdout=subprocess.PIPE, text=True)
    assert watcher.stdout
    child = int(watcher.stdout.readline())

    watcher.send_signal(number)

    assert watcher.communicate(timeout=10)[0] == "asked\n"
    assert (watcher.returncode, _is_alive(child)) == (0, False)


def test_they_hear_signals_themselves(tmp_path: Path) -> None:
    """A child that inherited the blocked signals would never stop."""
    ready = tmp_path / "ready"
    code = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"
    began = time.monotonic()

    with Processes() as both:
        both.start("web server", [sys.executable, "-c", code])
        while not ready.exists():
            time.sleep(0.01)

    assert time.monotonic() - began < 5
