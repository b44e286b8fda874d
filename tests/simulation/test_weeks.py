"""No cent is lost, doubled or stuck in weeks of trade, faults, restores and a bank that errs.

`make simulate SEED=7 STEPS=50000` plays one seed for longer; a failure names both. With
`WITHOUT="dinars have no decimals"` one of the fixes is taken out, and has to be missed.
"""

import faulthandler
import os
from contextlib import nullcontext

import pytest

from tests import run_environment
from tests.flush import empty_tables
from tests.nights import at_night
from tests.simulation.removed_fixes import FOUND_BY, REMOVED, removed
from tests.simulation.script import STEPS, prepare
from tests.simulation.virtual_weeks import BugFound, VirtualWeeks

SEEDS_OF_ALL = "1 2" if run_environment.ON_POSTGRESQL else "1 2 3 4 5"
SEED = os.environ.get("SIMULATION_SEED")
SEEDS = [int(seed) for seed in (SEED or SEEDS_OF_ALL).split()]
WITHOUT = os.environ.get("SIMULATION_WITHOUT", "")
# Within these a bug is found. Without one, the same steps of the same seeds pass.
MOST_STEPS = 1_200
# The first days, which each day plays.
FEW_STEPS = 100 if run_environment.ON_POSTGRESQL else 600
LENGTH = os.environ.get("SIMULATION_STEPS", "")
WEEKS = [(seed, int(LENGTH or MOST_STEPS)) for seed in SEEDS]
LONGER = "by day its first days: what is met later is rare, and each night plays on"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.real_clock("the weeks have a clock of their own"),
]


@pytest.mark.parametrize(
    ("seed", "count"),
    WEEKS if LENGTH or SEED else [(SEEDS[0], FEW_STEPS), *at_night(*WEEKS, why=LONGER)],
)
def test_no_cent_is_lost_doubled_or_stuck(seed: int, count: int) -> None:
    if LENGTH:
        faulthandler.cancel_dump_traceback_later()  # as long as it was asked for

    with removed(WITHOUT) if WITHOUT else nullcontext():
        VirtualWeeks(seed, STEPS).play(count, prepare=prepare)


@pytest.mark.sqlite
def test_a_seed_plays_the_same_steps_again() -> None:
    first, second = (_played(seed=1, count=60) for _ in range(2))

    assert first.story == second.story
    assert first.books == second.books


# What is put back is the same on both databases.
@pytest.mark.night("it tests the simulation: nothing of the service can break it")
@pytest.mark.sqlite
@pytest.mark.parametrize("bug", REMOVED)
def test_a_bug_that_is_put_back_is_found(bug: str) -> None:
    seed, words = FOUND_BY[bug]

    with pytest.raises(BugFound, match=words), removed(bug):
        play_seeds(first=seed)


@pytest.mark.night("it tests the simulation: nothing of the service can break it")
@pytest.mark.sqlite
def test_a_wild_clock_is_found_where_nothing_holds_it_back() -> None:
    with pytest.raises(BugFound):
        play_seeds(wild_clocks=True)


def play_seeds(*, first: int = 1, wild_clocks: bool = False) -> None:
    """Begin with the seed that is known to find it; a change of the steps may have moved it."""
    for seed in sorted(SEEDS, key=lambda seed: seed != first):
        _played(seed=seed, count=MOST_STEPS, wild_clocks=wild_clocks)


def _played(*, seed: int, count: int, wild_clocks: bool = False) -> VirtualWeeks:
    weeks = VirtualWeeks(seed, STEPS, wild_clocks=wild_clocks)
    weeks.play(count, prepare=prepare)
    empty_tables()
    return weeks
