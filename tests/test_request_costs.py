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
    """At most so many statements, BEGIN and COMMIT apart; and calls, with 5 % of room.

    `on_sqlite`: what it needs of both where that is more, as it has no WITH that writes.
    """

    statements: int
    calls: int
    on_sqlite: "Ceiling | None" = None


LIMITS = {
    "create": Ceiling(4, 3_900, Ceiling(5, 3_900)),
    "read": Ceiling(1, 1_600),
    "list": Ceiling(2, 4_850, Ceiling(2, 5_250)),
    "list filtered": Ceiling(2, 4_900, Ceiling(2, 5_300)),
    "cancel": Ceiling(5, 3_150, Ceiling(7, 3_150)),
    "confirm": Ceiling(8, 4_850, Ceiling(12, 5_850)),
    "refund": Ceiling(8, 5_100, Ceiling(13, 6_250)),
    "balance": Ceiling(3, 2_200),
    "checkout page": Ceiling(1, 6_720),
    "status poll": Ceiling(1, 1_590),
    "QR image": Ceiling(1, 2_130),
    "link page": Ceiling(1, 6_570),
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
