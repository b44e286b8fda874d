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
    """At most so many statements, BEGIN and COMMIT apart; and calls, with 8 % and 150 of room.

    The room is for what a process has done before: one that has served pages in other languages
    makes 70 to 240 calls more per request. `on_sqlite`: what it needs of both where that is more,
    as it has no WITH that writes.
    """

    statements: int
    calls: int
    on_sqlite: "Ceiling | None" = None


LIMITS = {
    "create": Ceiling(3, 4_400, Ceiling(5, 3_540)),
    "read": Ceiling(1, 1_500, Ceiling(1, 1_500)),
    "list": Ceiling(2, 3_070, Ceiling(2, 4_350)),
    "list filtered": Ceiling(2, 3_130, Ceiling(2, 4_410)),
    "cancel": Ceiling(4, 2_750, Ceiling(7, 2_640)),
    "confirm": Ceiling(7, 4_180, Ceiling(12, 5_790)),
    "refund": Ceiling(7, 5_690, Ceiling(13, 6_310)),
    "balance": Ceiling(1, 1_640, Ceiling(1, 1_640)),
    "checkout page": Ceiling(1, 6_700),
    "status poll": Ceiling(1, 1_400),
    "QR image": Ceiling(1, 1_540),
    "link page": Ceiling(1, 6_350),
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
