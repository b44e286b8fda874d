"""Few places for what takes long and anyone may ask for: threads are left for all others.

Who finds none free is refused at once: threads that wait are threads that are missing. What is
drawn is drawn one at a time, as two threads of Python are no quicker than one, and each makes all
others wait for the interpreter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from core.errors import ServiceUnavailable

DRAWINGS = 2  # one is drawn, one waits


class NoPlaceFree(ServiceUnavailable):
    """As many are at it as there are places."""


class Places:
    """So many of a process's threads may be at something."""

    def __init__(self, number: int) -> None:
        self._free = BoundedSemaphore(number)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a place meanwhile. Raises NoPlaceFree."""
        if not self._free.acquire(blocking=False):
            raise NoPlaceFree
        try:
            yield
        finally:
            self._free.release()


_drawings, _pen = Places(DRAWINGS), Lock()


@contextmanager
def drawing() -> Iterator[None]:
    """Draw what takes a processor for long: paper, or a document. Raises NoPlaceFree."""
    with _drawings.taken(), _pen:
        yield
