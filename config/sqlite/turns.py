"""Turns to write to an SQLite file, first come, first served.

SQLite has one writer at a time; the others sleep and retry, longer each time, so that some starve
for seconds. Here the threads of a process queue, and the first of each process queues for the file,
with locks that the operating system releases if a process dies.
"""

import os
import threading
import time
from collections import deque
from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from io import TextIOWrapper

from config.sqlite.private_files import open_private

# How often to retry a file lock, as waiting for one has no timeout.
POLL_SECONDS = 0.001


class TurnQueue:
    """A lock that passes to the longest waiter."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._is_held = False

    def take(self, *, seconds: float) -> bool:
        """Wait for the turn; return whether it came up in time."""
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        return mine.acquire(timeout=seconds) or self._is_handed_over(mine)

    def give_back(self) -> None:
        """Pass the turn on."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False

    def _is_handed_over(self, mine: threading.Lock) -> bool:
        """Stop waiting, unless the turn came up at the last moment."""
        with self._guard:
            if mine not in self._waiting:
                return True
            self._waiting.remove(mine)
            return False


class FileTurn:
    """A lock between processes. The holder of `-next` has the next turn, so that none starves."""

    def __init__(self, path: str) -> None:
        self._next, self._turn = _opened(f"{path}-next"), _opened(f"{path}-turn")

    def take(self, *, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        if not _is_locked(self._next, deadline):
            return False
        try:
            return _is_locked(self._turn, deadline)
        finally:
            flock(self._next, LOCK_UN)

    def give_back(self) -> None:
        flock(self._turn, LOCK_UN)


def _opened(path: str) -> TextIOWrapper:
    return open(path, "a", opener=open_private)  # for the life of the process


def _is_locked(file: TextIOWrapper, deadline: float) -> bool:
    while True:
        try:
            flock(file, LOCK_EX | LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)


class WriteTurns:
    """The turns to write to one file: first among this process's threads, then among processes."""

    def __init__(self, path: str) -> None:
        self._threads, self._processes = TurnQueue(), FileTurn(path)

    def take(self, *, seconds: float) -> bool:
        """Wait for a turn; return whether it came up in time."""
        deadline = time.monotonic() + seconds
        if not self._threads.take(seconds=seconds):
            return False
        try:
            is_ours = self._processes.take(seconds=max(0, deadline - time.monotonic()))
        except BaseException:
            self._threads.give_back()
            raise
        if not is_ours:
            self._threads.give_back()
        return is_ours

    def give_back(self) -> None:
        """Pass the turn on to the next writer."""
        self._processes.give_back()
        self._threads.give_back()


_known: dict[str, WriteTurns] = {}


def turns_of(path: str) -> WriteTurns:
    """Return the turns to write to this file, shared by all threads of the process."""
    return _known.get(path) or _known.setdefault(path, WriteTurns(path))


# A forked process would share the locks of open files, so it opens the files again.
os.register_at_fork(after_in_child=_known.clear)
