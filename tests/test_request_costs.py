"""What a request costs: the statements it needs, and a bound of the functions it calls.

Neither depends on the machine. Where a request has come to need fewer, lower its figures here.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from bench.operations import OPERATIONS
from bench.statements import Cost
from tests import run_environment

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Ceiling:
    """At most so many statements, BEGIN and COMMIT apart; and calls, with 3 % and 60 of room.

    `on_sqlite`: what it needs of both where that is more, as it has no WITH that writes.
    """

    statements: int
    calls: int
    on_sqlite: "Ceiling | None" = None


LIMITS = {
    "create": Ceiling(3, 4_290, Ceiling(5, 3_420)),
    "read": Ceiling(1, 1_360),
    "list": Ceiling(2, 2_860, Ceiling(2, 4_090)),
    "list filtered": Ceiling(2, 2_920, Ceiling(2, 4_140)),
    "cancel": Ceiling(4, 2_630, Ceiling(7, 2_530)),
    "confirm": Ceiling(7, 4_080, Ceiling(12, 5_650)),
    "refund": Ceiling(7, 5_740, Ceiling(13, 6_290)),
    "balance": Ceiling(1, 1_560),
    "checkout page": Ceiling(1, 5_460),
    "status poll": Ceiling(1, 1_190),
    "QR image": Ceiling(0, 1_100),
    "link page": Ceiling(1, 5_080),
}


def limit_of(name: str) -> Ceiling:
    limit = LIMITS[name]
    return limit if run_environment.ON_POSTGRESQL else limit.on_sqlite or limit


@pytest.fixture(scope="module")
def costs() -> dict[str, Cost]:
    """Count in a process of its own: what one has served before adds hundreds of calls."""
    database = [] if run_environment.ON_POSTGRESQL else ["--embedded"]
    counting = subprocess.run(
        [sys.executable, "-m", "bench.statements", "--json", *database],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "0"},
    )
    return {name: Cost(**cost) for name, cost in json.loads(counting.stdout).items()}


def test_no_request_costs_more_than_its_limit(costs: dict[str, Cost]) -> None:
    assert costs.keys() == {operation.name for operation in OPERATIONS} == LIMITS.keys()
    for name, cost in costs.items():
        sent = "\n".join([f"{name} sends", *cost.statements])
        assert len(cost.statements) <= limit_of(name).statements, sent
    assert {
        name: cost.calls for name, cost in costs.items() if cost.calls > limit_of(name).calls
    } == {}
