"""What a request costs as served: the statements it needs, and a bound of the functions it calls.

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
    "create": Ceiling(2, 2_230, Ceiling(5, 2_320)),
    "read": Ceiling(1, 930),
    "list": Ceiling(1, 2_000, Ceiling(1, 3_200)),
    "list filtered": Ceiling(1, 2_050, Ceiling(1, 3_260)),
    "cancel": Ceiling(3, 1_730, Ceiling(7, 1_810)),
    "confirm": Ceiling(6, 3_030, Ceiling(12, 4_030)),
    "refund": Ceiling(5, 3_050, Ceiling(13, 3_530)),
    "balance": Ceiling(1, 900),
    "checkout page": Ceiling(1, 2_690),
    "status poll": Ceiling(1, 910),
    "QR image": Ceiling(0, 740),
    "link page": Ceiling(1, 3_280),
}


@pytest.mark.parametrize(
    "database",
    [
        pytest.param("postgres", marks=pytest.mark.postgres),
        pytest.param("sqlite", marks=pytest.mark.sqlite),
    ],
)
def test_no_request_costs_more_than_its_limit(database: str) -> None:
    costs = counted(database)

    assert costs.keys() == {operation.name for operation in OPERATIONS} == LIMITS.keys()
    for name, cost in costs.items():
        sent = "\n".join([f"{name} sends", *cost.statements])
        assert len(cost.statements) <= limit_of(name, database).statements, sent
    assert {
        name: cost.calls
        for name, cost in costs.items()
        if cost.calls > limit_of(name, database).calls
    } == {}


def limit_of(name: str, database: str) -> Ceiling:
    limit = LIMITS[name]
    return (limit.on_sqlite if database == "sqlite" else None) or limit


def counted(database: str) -> dict[str, Cost]:
    """Count in a process of its own: what one has served before adds hundreds of calls."""
    embedded = ["--embedded"] if database == "sqlite" else []
    counting = subprocess.run(
        [sys.executable, "-m", "bench.statements", "--json", *embedded],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "0"},
    )
    return {name: Cost(**cost) for name, cost in json.loads(counting.stdout).items()}
