"""Work done in forks of this process, several at once, each with a database of its own."""

import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
Work = Callable[[Path], int]
FAILED = 3  # of itself, not of a test in it: as pytest ends by an error of its own


def in_processes(jobs: Iterable[tuple[T, Work]], processes: int) -> Iterator[tuple[T, int, str]]:
    """Do each job in a fork of this process; yield its subject, its status and what it wrote."""
    running: dict[int, tuple[T, Path]] = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        for number, (subject, work) in enumerate(jobs):
            directory = Path(folder, str(number))
            running[_fork(work, directory)] = subject, directory
            if len(running) == processes:
                yield _ended(running)
        while running:
            yield _ended(running)


def _ended(running: dict[int, tuple[T, Path]]) -> tuple[T, int, str]:
    process, status = os.wait()
    subject, directory = running.pop(process)
    out, log = directory / "out", directory / "log"
    wrote = out.read_text() if out.exists() else log.read_text()
    return subject, os.waitstatus_to_exitcode(status), wrote


def _fork(work: Work, directory: Path) -> int:
    directory.mkdir()
    if process := os.fork():
        return process
    status = FAILED
    try:
        log = os.open(directory / "log", os.O_CREAT | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(log, stream)
        _take_a_database(directory)
        status = work(directory / "out")
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _take_a_database(directory: Path) -> None:
    from django.conf import settings

    if settings.configured:
        from django.db import connection

        connection.settings_dict["TEST"]["NAME"] = str(directory / "tests.sqlite3")
