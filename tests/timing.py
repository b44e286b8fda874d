"""A plugin for `tests/run.py`: which tests it runs, and how long the quick ones took.

Loaded by `-p tests.timing`. Later runs know by the times what fits into theirs.
"""

import random
from collections import defaultdict
from typing import Any

import pytest

from tests.reach import ROOT
from tests.seconds import SHORT_SECONDS, keep_seconds, known_seconds

NOT_QUICK = {"slow", "browser", "faults", "fuzz", "night"}
_took: dict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the quick tests")
    parser.addoption("--draw", type=int, help="so many cases of each test, by the order's seed")
    parser.addoption("--seconds", type=float, help="so many of tests already timed")
    parser.addoption("--whole", action="append", default=[], help="a file of which all tests run")


@pytest.hookimpl(optionalhook=True)  # without xdist there is none
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from tests.scheduler import BriefScheduler

    return BriefScheduler(config, log)


@pytest.hookimpl(trylast=True)  # after they were shuffled
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick or not drawn, but for the files that are to run whole.

    What takes longest comes first: no process then waits long for another at the end of a run.
    """
    items.sort(key=lambda item: not _marks(item) & NOT_QUICK)
    if not config.getoption("quick"):
        return
    whole = {ROOT / name for name in config.getoption("whole")}
    slow = {item for item in items if item.path not in whole and _marks(item) & NOT_QUICK}
    chosen = [item for item in items if item not in slow]
    if count := config.getoption("draw"):
        chosen = drawn(chosen, count, seed=config.getoption("randomly_seed"))
    if seconds := config.getoption("seconds"):
        chosen = fitting(chosen, seconds, seed=config.getoption("randomly_seed"))
    config.hook.pytest_deselected(items=set(items) - set(chosen))
    items[:] = chosen


def drawn(items: list[pytest.Item], count: int, *, seed: int) -> list[pytest.Item]:
    """Return at most so many cases of each test; the same ones in every process of a run."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.nodeid):
        cases[item.nodeid.partition("[")[0]].append(item)
    draw = random.Random(seed)  # no secret
    kept = {item for each in cases.values() for item in draw.sample(each, min(count, len(each)))}
    return [item for item in items if item in kept]


def fitting(items: list[pytest.Item], seconds: float, *, seed: int) -> list[pytest.Item]:
    """Return the short tests and, by chance, of the others what the seconds leave room for.

    A test that no run has timed counts as taking no time: it is new, and wants to be run.
    """
    took = known_seconds()
    ordered = sorted(items, key=lambda item: item.nodeid)
    random.Random(seed).shuffle(ordered)  # no secret
    ordered.sort(key=lambda item: took.get(item.nodeid, 0) > SHORT_SECONDS)
    kept = set()
    for item in ordered:
        if (needed := took.get(item.nodeid, 0)) <= seconds:
            kept.add(item)
            seconds -= needed
    return [item for item in items if item in kept]


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.passed and not NOT_QUICK & report.keywords.keys():
        _took[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        keep_seconds(_took)
