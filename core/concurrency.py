"""A limit on slow work that anyone may request, so that threads are left for all other requests.

A request beyond the limit is refused at once: a waiting thread serves no one else. Drawing runs
one at a time, as two Python threads are no faster than one, and each makes all others wait for
the interpreter.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from core.errors import ServiceUnavailable
from core.intended_errors import note_intended

DRAWINGS = 2  # one runs, one waits


class ConcurrencyLimitReached(ServiceUnavailable):
    """All slots are taken."""


class ConcurrencyLimit:
    """Limits how many threads of a process do something at once."""

    def __init__(self, number: int) -> None:
        self._free = BoundedSemaphore(number)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold a slot for the duration of the block. Raises ConcurrencyLimitReached."""
        if not self._free.acquire(blocking=False):
            raise ConcurrencyLimitReached
        try:
            yield
        finally:
            self._free.release()


class NamedConcurrencyLimit:
    """Limits how many threads do something at once: so many in all, and one for each name."""

    def __init__(self, number: int) -> None:
        self._number, self._lock = number, Lock()
        self._held: set[str] = set()

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """Hold the slot of a name for the duration of the block. Raises ConcurrencyLimitReached."""
        with self._lock:
            if name in self._held or len(self._held) >= self._number:
                raise ConcurrencyLimitReached
            self._held.add(name)
        try:
            yield
        finally:
            self._held.discard(name)


_drawings, _one_at_a_time = ConcurrencyLimit(DRAWINGS), Lock()


@contextmanager
def drawing_slot() -> Iterator[None]:
    """Run CPU-bound drawing, such as of a PDF or the OpenAPI document, one at a time.

    Raises ConcurrencyLimitReached while one runs and another waits.
    """
    with _noted(), _drawings.hold(), _one_at_a_time:
        yield


@contextmanager
def _noted() -> Iterator[None]:
    """Note a refusal: strangers could otherwise raise the alarm by asking for eight at once."""
    try:
        yield
    except ConcurrencyLimitReached:
        note_intended()
        raise
