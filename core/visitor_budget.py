"""What unknown callers may cost us, in seconds of CPU time: a budget per payer and process.

A payer is a network (/24 or /48), a live customer or a browser of staff. Every page, picture, PDF,
password and wrong key is charged to its network by what it took and not by its kind, so that
nothing expensive can be forgotten. Requests with a key that anyone can get are charged to a second
budget of their network, slow database statements included. A live customer has a third one, used
once the network has spent the first. A browser of staff has a budget too, and uses no other.
`config.visitors` decides who pays.
"""

import time
from collections import OrderedDict
from threading import Lock

from django.conf import settings

# May be spent at once, before the rate applies: some fifty pages, or a developer's tests.
BURST_SECONDS, TESTER_BURST_SECONDS = 0.5, 5.0
MOST_KEPT = 10_000
MINUTE = 60


class VisitorBudget:
    """What each payer has spent and not recovered yet: a leaky bucket of seconds for each.

    `VISITOR_SECONDS_PER_NETWORK` is recovered per minute. Thread-safe.
    """

    def __init__(self, burst_seconds: float = BURST_SECONDS) -> None:
        self._burst_seconds = burst_seconds
        self._lock = Lock()
        self._debts: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, payer: str) -> float:
        """Return the seconds until this payer may be served again; 0 if it may be now."""
        over = self._debt(payer) - self._burst_seconds
        return over / _rate() if over > 0 else 0.0

    def charge(self, payer: str, seconds: float) -> None:
        """Charge what a request cost; the wait is capped at a minute."""
        most = self._burst_seconds + settings.VISITOR_SECONDS_PER_NETWORK
        with self._lock:
            debt = min(self._debt(payer) + seconds, most)
            self._debts[payer] = (debt, time.monotonic())
            self._debts.move_to_end(payer)
            if len(self._debts) > MOST_KEPT:
                self._debts.popitem(last=False)

    def clear(self) -> None:
        """Forget all debts."""
        with self._lock:
            self._debts.clear()

    def _debt(self, payer: str) -> float:
        known = self._debts.get(payer)
        if known is None:  # a shop's server, the most frequent caller, never owes anything
            return 0.0
        debt, since = known
        return max(0.0, debt - (time.monotonic() - since) * _rate())


visitors = VisitorBudget()  # by network
testers = VisitorBudget(TESTER_BURST_SECONDS)  # by network
customers = VisitorBudget(TESTER_BURST_SECONDS)  # by customer id
staff_browsers = VisitorBudget(TESTER_BURST_SECONDS)  # by the id in its mark


def _rate() -> float:
    """Return how many seconds of budget are recovered per second."""
    rate: float = settings.VISITOR_SECONDS_PER_NETWORK / MINUTE
    return rate
