"""What a request costs: the statements it needs, and a bound of the functions it calls.

Neither depends on the machine. Where a request has come to need fewer, lower its figures here.
"""

from dataclasses import dataclass

import pytest

from bench.operations import OPERATIONS
from bench.statements import Cost, Requests

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@dataclass(frozen=True)
class Ceiling:
    """At most so many statements, BEGIN and COMMIT apart; and calls, with 5 % of room."""

    statements: int
    calls: int


LIMITS = {
    "create": Ceiling(7, 14_900),
    "read": Ceiling(2, 10_100),
    "list": Ceiling(3, 24_700),
    "list filtered": Ceiling(3, 25_000),
    "cancel": Ceiling(9, 13_900),
    "confirm": Ceiling(21, 30_000),
    "refund": Ceiling(24, 32_600),
    "balance": Ceiling(4, 14_500),
    "checkout page": Ceiling(1, 18_200),
    "status poll": Ceiling(1, 8_800),
    "QR image": Ceiling(1, 34_900),
    "link page": Ceiling(2, 14_800),
}


@pytest.fixture
def costs() -> dict[str, Cost]:
    """Send each operation that is measured, and count."""
    requests = Requests()
    return {operation.name: requests.cost_of(operation) for operation in OPERATIONS}


def test_no_request_costs_more_than_its_limit(costs: dict[str, Cost]) -> None:
    assert costs.keys() == LIMITS.keys()
    for name, cost in costs.items():
        sent = "\n".join([f"{name} sends", *cost.statements])
        assert len(cost.statements) <= LIMITS[name].statements, sent
    assert {
        name: cost.calls for name, cost in costs.items() if cost.calls > LIMITS[name].calls
    } == {}
