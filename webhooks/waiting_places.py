"""How many requests of a process may wait: each holds a thread of the web server meanwhile."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

WAITING_PER_CALLER = 2


class WaitingPlaces:
    """How many requests of this process may wait, in all and per caller."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._held = self._held_by_self_service = 0
        self._callers = Counter[str]()

    @contextmanager
    def place(self, *callers: str, is_self_service: bool = False) -> Iterator[bool]:
        """Hold a place, if one is free; yield False if none is.

        A request may count for several callers, such as a merchant and a network.
        `is_self_service`: its key is one that anyone can get; all such requests together leave half
        of the places to the others, if there are two or more.
        """
        has_place = self._take(callers, is_self_service)
        try:
            yield has_place
        finally:
            if has_place:
                self._give_back(callers, is_self_service)

    def _take(self, callers: tuple[str, ...], is_self_service: bool) -> bool:
        with self._lock:
            held = max(self._callers[caller] for caller in callers)
            if self._held >= self._most or held >= WAITING_PER_CALLER:
                return False
            if is_self_service and self._held_by_self_service >= max(1, self._most // 2):
                return False
            self._held += 1
            self._held_by_self_service += is_self_service
            self._callers.update(callers)
            return True

    def _give_back(self, callers: tuple[str, ...], is_self_service: bool) -> None:
        with self._lock:
            self._held -= 1
            self._held_by_self_service -= is_self_service
            self._callers -= Counter(callers)  # drops those that hold none
