"""A clone of the project in an empty directory, with its service running: what a newcomer has."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import cache_from_source
from pathlib import Path

from config.environment import VARIABLES
from tests import template

ROOT = Path(__file__).parent.parent
START_SECONDS = 200  # where others have the machine
RUN = [sys.executable, "-m", "config.local.serve"]
# The packages are there already, in the environment that runs this.
_MADE = ["-o", ".venv/base", "-o", "var/development.env"]
MAKE = ["make", *_MADE, f"BIN={Path(sys.executable).parent}", "run"]


class Service:
    """`make run` in the clone, without the making of `.venv`; through `make` itself if wished."""

    def __init__(self, directory: Path, *, through_make: bool = False) -> None:
        self.directory = directory
        self.command = MAKE if through_make else RUN
        self.port = _free_port()
        self.url = f"http://localhost:{self.port}"
        self.output = ""

    def start(self) -> None:
        """Start it and wait until it has said that it runs."""
        python = [sys.executable, "-m"]
        subprocess.run(
            [*python, "config.local.development"],
            cwd=self.directory,
            env=self._environment(),
            check=True,
        )
        self.process = subprocess.Popen(
            self.command,
            cwd=self.directory,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()
        with ExitStack() as unless_ready:
            unless_ready.callback(self.stop)
            self.wait_for("is running at", "  Try ")
            unless_ready.pop_all()

    def start_again(self) -> None:
        """Start it anew after it was stopped; what it said before is forgotten."""
        self.reading.join()
        self.output = ""
        self.start()

    def wait_for(self, *words: str) -> None:
        """Wait until the output has all the words."""
        deadline = time.monotonic() + START_SECONDS
        while not all(word in self.output for word in words):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"It did not say {words}:\n{self.output}")
            time.sleep(0.05)

    def found(self, pattern: str) -> str:
        """Return what the output says."""
        found = re.search(pattern, self.output)
        assert found, self.output
        return found[1]

    def stop(self) -> int:
        """Press Ctrl-C, and kill what does not end by it; return the exit code."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            return self.process.wait(START_SECONDS)
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)

    def pids(self, *, of: int | None = None) -> list[int]:
        """Return the processes it started, or those that one of them did."""
        parent = str(of or self.process.pid)
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", parent], capture_output=True, text=True
        )
        return [int(pid) for pid in listed.stdout.split()]

    def _environment(self) -> dict[str, str]:
        ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE", "TEST_DIRECTORY"}
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        return kept | {"PORT": str(self.port), "PYTHONUNBUFFERED": "1"}

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.output += line


@contextmanager
def running(
    directory: Path, *, through_make: bool = False, migrated: bool = False
) -> Iterator[Service]:
    """Run the service in a clone; at the end it is stopped. `migrated`: it has its tables."""
    service = Service(clone(directory), through_make=through_make)
    if migrated:
        migrate(directory)
    service.start()
    try:
        yield service
    finally:
        service.stop()


def clone(directory: Path) -> Path:
    """Copy what git knows, or would add, into the directory, with what of it is compiled."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            target = directory / name
            _copy(ROOT / name, target)
            _copy(_compiled(ROOT / name), _compiled(target))
    return directory


def _compiled(file: Path) -> Path:
    return Path(cache_from_source(str(file)))


def _copy(file: Path, target: Path) -> None:
    """Copy a file that is there, with its times: what is compiled counts for a file of that age."""
    if file.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)


def migrate(directory: Path) -> None:
    """Give a clone a database with its tables, if a run has kept one: to migrate takes long."""
    (directory / "var").mkdir(exist_ok=True)
    template.use(directory / "var/db.sqlite3")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
