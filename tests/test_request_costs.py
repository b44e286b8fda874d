"""What a request costs: the statements it needs, and a bound of the functions it calls.

Neither depends on the machine. Where a request has come to need fewer, lower its figures here.
"""

from dataclasses import dataclass

import pytest
from django.db import connection

from bench.operations import OPERATIONS
from bench.statements import Cost, Requests

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@dataclass(frozen=True)
class Ceiling:
    """At most so many statements, BEGIN and COMMIT apart; and calls, with 8 % of room.

    The room is for what a process has done before: one that has served pages in other languages
    makes 70 to 110 calls more per request. `on_sqlite`: what it needs of both where that is more,
    as it has no WITH that writes.
    """

    statements: int
    calls: int
    on_sqlite: "Ceiling | None" = None


LIMITS = {
    "create": Ceiling(4, 4_250, Ceiling(5, 4_250)),
    "read": Ceiling(1, 1_740),
    "list": Ceiling(2, 5_250, Ceiling(2, 5_600)),
    "list filtered": Ceiling(2, 5_300, Ceiling(2, 5_650)),
    "cancel": Ceiling(5, 3_450, Ceiling(7, 3_450)),
    "confirm": Ceiling(8, 5_200, Ceiling(12, 6_250)),
    "refund": Ceiling(8, 5_550, Ceiling(13, 6_650)),
    "balance": Ceiling(3, 2_350),
    "checkout page": Ceiling(1, 6_950),
    "status poll": Ceiling(1, 1_760),
    "QR image": Ceiling(1, 2_320),
    "link page": Ceiling(1, 6_800),
}


def limit_of(name: str) -> Ceiling:
    limit = LIMITS[name]
    return limit if connection.vendor == "postgresql" else limit.on_sqlite or limit


@pytest.fixture
def costs() -> dict[str, Cost]:
    """Send each operation that is measured, and count."""
    requests = Requests()
    return {operation.name: requests.cost_of(operation) for operation in OPERATIONS}


def test_no_request_costs_more_than_its_limit(costs: dict[str, Cost]) -> None:
    assert costs.keys() == LIMITS.keys()
    for name, cost in costs.items():
        sent = "\n".join([f"{name} sends", *cost.statements])
        assert len(cost.statements) <= limit_of(name).statements, sent
    assert {
        name: cost.calls for name, cost in costs.items() if cost.calls > limit_of(name).calls
    } == {}
