"""Whose turn it is. Pure.

Endpoints that answer well share one lane of senders, those that have yet to answer once another,
and those that fail or dawdle a third: however many of these there are, nobody waits for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

MAX_IN_FLIGHT = 4


class Lane(Enum):
    """`quick` for endpoints that answer well, `new` for those that have yet to answer once."""

    QUICK = "quick"
    NEW = "new"
    CAREFUL = "careful"


@dataclass(frozen=True)
class EndpointBacklog:
    """An endpoint with something due: how it has been answering, and what is under way to it."""

    webhook_id: str
    due_at: datetime
    in_flight: int
    failures: int
    is_slow: bool
    is_proven: bool

    @property
    def lane(self) -> Lane:
        if self.failures or self.is_slow:
            return Lane.CAREFUL
        return Lane.QUICK if self.is_proven else Lane.NEW

    @property
    def max_in_flight(self) -> int:
        """One at a time until it answers, and again as soon as it fails; two while it is slow."""
        if self.failures or not self.is_proven:
            return 1
        return 2 if self.is_slow else MAX_IN_FLIGHT

    @property
    def priority(self) -> tuple[int, int, datetime]:
        """What decides who goes first: an idle endpoint, then a healthier one, then patience."""
        return self.in_flight, self.failures, self.due_at


def allocate(waiting: Iterable[EndpointBacklog], free: Mapping[Lane, int]) -> dict[str, int]:
    """Share the free senders of each lane out, one each in turn; return how many go to whom."""
    left = dict(free)
    given: dict[str, int] = {}
    queue = sorted(waiting, key=lambda endpoint: endpoint.priority)
    for _ in range(MAX_IN_FLIGHT):
        for endpoint in queue:
            has = given.get(endpoint.webhook_id, 0)
            if left[endpoint.lane] and endpoint.in_flight + has < endpoint.max_in_flight:
                given[endpoint.webhook_id] = has + 1
                left[endpoint.lane] -= 1
    return given
