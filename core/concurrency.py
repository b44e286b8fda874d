"""A limit on slow work that anyone may request, so that threads are left for all other requests.

A request beyond the limit is refused at once, as a waiting thread serves no one else; only where
the work is brief may it wait for seconds. Drawing runs one at a time, as two Python threads are no
faster than one, and each makes all others wait for the interpreter.
"""

from collections import Counter
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
    def hold(self, *, wait_seconds: float = 0) -> Iterator[None]:
        """Hold a slot for the duration of the block, which may first wait for one.

        Raises ConcurrencyLimitReached if none is free by then.
        """
        if not self._free.acquire(timeout=wait_seconds):
            raise ConcurrencyLimitReached
        try:
            yield
        finally:
            self._free.release()


class CallerConcurrencyLimit:
    """Limits how many threads of a process serve callers at once: in all, and for each caller."""

    def __init__(self, number: int, *, per_caller: int) -> None:
        self._number, self._per_caller, self._lock = number, per_caller, Lock()
        self._held = self._held_by_self_service = 0
        self._callers = Counter[str]()

    @contextmanager
    def hold(self, *callers: str, is_self_service: bool = False) -> Iterator[None]:
        """Hold a slot for the duration of the block. Raises ConcurrencyLimitReached.

        A request may count for several callers, such as a merchant and a network. With
        `is_self_service`, its key is one that anyone can get: all such requests together leave half
        of the slots to the others, if there are two or more.
        """
        self._take(callers, is_self_service)
        try:
            yield
        finally:
            self._give_back(callers, is_self_service)

    def _take(self, callers: tuple[str, ...], is_self_service: bool) -> None:
        with self._lock:
            held_by_caller = max(self._callers[caller] for caller in callers)
            if self._held >= self._number or held_by_caller >= self._per_caller:
                raise ConcurrencyLimitReached
            if is_self_service and self._held_by_self_service >= max(1, self._number // 2):
                raise ConcurrencyLimitReached
            self._held += 1
            self._held_by_self_service += is_self_service
            self._callers.update(callers)

    def _give_back(self, callers: tuple[str, ...], is_self_service: bool) -> None:
        with self._lock:
            self._held -= 1
            self._held_by_self_service -= is_self_service
            self._callers -= Counter(callers)  # drops those that hold none


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
