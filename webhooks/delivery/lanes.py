"""Which endpoints get the free threads. Pure.

Healthy endpoints share one lane of threads, those that have never answered a second, and failing or
slow ones a third: however many of these there are, no healthy endpoint waits for them. In each lane
live endpoints go first: anyone can get test keys, and any number of test endpoints.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

MAX_IN_FLIGHT = 4


class Lane(Enum):
    """`quick` for healthy endpoints, `new` for those that have never answered."""

    QUICK = "quick"
    NEW = "new"
    CAREFUL = "careful"


@dataclass(frozen=True)
class EndpointBacklog:
    """An endpoint with due deliveries: its recent health, and the attempts under way."""

    webhook_id: str
    livemode: bool
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
        """One until it has answered, and again once it fails; two while it is slow."""
        if self.failures or not self.is_proven:
            return 1
        return 2 if self.is_slow else MAX_IN_FLIGHT

    @property
    def priority(self) -> tuple[bool, int, int, datetime]:
        """The sort key: live, then idle, then healthier ones first, then the longest waiting."""
        return not self.livemode, self.in_flight, self.failures, self.due_at


def allocate(waiting: Iterable[EndpointBacklog], free: Mapping[Lane, int]) -> dict[str, int]:
    """Allocate the free threads of each lane, round robin; return how many each endpoint gets."""
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
