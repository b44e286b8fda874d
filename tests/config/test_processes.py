"""The processes of `make run` live and die together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local.guard import STOP_SECONDS
from config.local.processes import ASKING, Crash, Processes

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

GONE_SECONDS = 30  # where others have the machine
SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def _pids(processes: Processes) -> list[int]:
    return [process.pid for process in processes._running.values()]


def _is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def _is_dead_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not _is_alive(pid)


def _run(
    both: Processes, commands: dict[str, list[str]], *, kill_after: Path | None = None
) -> None:
    """Start them, kill the first one when a file is there, and watch until one has ended."""
    with both:
        for name, command in commands.items():
            both.start(name, command)
        if kill_after:
            while not kill_after.exists():
                both.watch(0.02)
            os.kill(_pids(both)[0], signal.SIGKILL)
        for _ in range(100):
            both.watch(0.1)


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Put back what the processes of a test took over."""
    former = {number: signal.getsignal(number) for number in ASKING}
    yield
    signal.set_wakeup_fd(-1)
    for number, handler in former.items():
        signal.signal(number, handler)


def test_the_end_of_one_is_the_end_of_all() -> None:
    both = Processes()

    with pytest.raises(Crash, match=r"The worker stopped \(exit code 3\)"):
        _run(both, {"web server": SLEEP, "worker": [sys.executable, "-c", "raise SystemExit(3)"]})

    assert [pid for pid in _pids(both) if _is_alive(pid)] == []


def test_a_killed_one_is_named_and_leaves_no_children(tmp_path: Path) -> None:
    """As granian would leave its workers, and they the port taken."""
    child = tmp_path / "child"
    web = [sys.executable, "-c", PARENT, str(child)]

    with pytest.raises(Crash, match=r"The web server stopped \(killed by SIGKILL\)"):
        _run(Processes(), {"web server": web}, kill_after=child)

    assert _is_dead_within(int(child.read_text()), GONE_SECONDS)


def test_a_killed_watcher_leaves_none() -> None:
    watcher = subprocess.Popen([sys.executable, "-c", WATCHER], stdout=subprocess.PIPE, text=True)
    assert watcher.stdout
    child = int(watcher.stdout.readline())

    watcher.kill()

    assert watcher.wait(GONE_SECONDS) == -signal.SIGKILL
    assert _is_dead_within(child, GONE_SECONDS)


PARENT = f"""
import pathlib, subprocess, sys, time
child = subprocess.Popen({SLEEP!r})
file = pathlib.Path(sys.argv[1] + "-unfinished")
file.write_text(str(child.pid))
file.rename(sys.argv[1])
time.sleep(60)
"""


WATCHER = f"""
from config.local.processes import Processes
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

    assert watcher.communicate(timeout=30)[0] == "asked\n"
    assert (watcher.returncode, _is_alive(child)) == (0, False)


def test_they_hear_signals_themselves(tmp_path: Path) -> None:
    """A child that inherited our deafness to signals would never stop."""
    ready = tmp_path / "ready"
    code = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(60)"

    with Processes() as both:
        both.start("web server", [sys.executable, "-c", code])
        while not ready.exists():
            both.watch(0.01)
        began = time.monotonic()

    assert time.monotonic() - began < STOP_SECONDS
