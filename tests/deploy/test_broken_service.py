"""The service is broken in every way at hand, and keeps each promise: `make faults` for longer.

Each fault once, in an order of chance. Figures of time are no part of it, nor the trade before the
faults that they need: others may use the machine. Where that is so busy that a stage runs out of
time, the test says so, and ends.
"""

import os

import pytest

from bench.faults import StageTimeouts, run
from tests.machine import need
from tests.nights import at_night

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.sqlite]

# Together less than a test of this kind may take.
TIMEOUTS = StageTimeouts(trade=300, repeat=60, settle=100, proof=50)
ALWAYS = {"a web worker killed", "web killed", "worker killed", "a clock set"}
IN_PRODUCTION = {
    "dispatcher killed", "beat killed", "Redis killed", "Redis frozen", "Redis emptied",
    "PostgreSQL crashed",
}  # fmt: skip
AS_ROOT = {"disk of the database full", "disk of the log full", "network cut"}


@pytest.mark.parametrize(
    "embedded",
    [True, *at_night(False, why="it takes five minutes; by day the faults that SQLite has")],
    ids=["embedded", "production"],
)
def test_it_keeps_its_promises_while_it_is_broken(
    embedded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("redis-server", "Redis")
    monkeypatch.setattr("bench.faults.FEW_SECONDS", 1)
    monkeypatch.setattr("bench.faults.ALL_SECONDS", 1)
    monkeypatch.setattr("bench.faults.WARM_SECONDS", 0)
    monkeypatch.setattr("bench.rig.SETTLED_SECONDS", 0)
    monkeypatch.setattr("bench.rig.CALM_SECONDS", 0)

    outcome = run(seed=1, seconds=0, timeouts=TIMEOUTS, clients=4, embedded=embedded)

    assert {promise: found for promise, found in outcome.broken.items() if found} == {}
    assert outcome.repeated
    expected = ALWAYS | (set() if embedded else IN_PRODUCTION)
    expected |= set() if os.geteuid() else AS_ROOT  # disks and networks need root
    assert outcome.given.keys() >= expected
