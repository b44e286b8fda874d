"""A plugin for `tests/run.py`: what it runs of each file, and how long the quick tests took.

Loaded by `-p tests.timing`. A later `make check` knows by the times what fits into its own.
"""

import json
import random
from collections import defaultdict

import pytest

from tests.reach import ROOT, SECONDS

NOT_QUICK = {"slow", "browser", "faults", "fuzz"}
_took: dict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the quick tests")
    parser.addoption("--draw", type=int, help="so many cases of each test, by the order's seed")
    parser.addoption("--whole", action="append", default=[], help="a file of which all tests run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick or not drawn, but for the files that are to run whole."""
    if not config.getoption("quick"):
        return
    whole = {ROOT / name for name in config.getoption("whole")}
    slow = {item for item in items if item.path not in whole and _marks(item) & NOT_QUICK}
    chosen = [item for item in items if item not in slow]
    if count := config.getoption("draw"):
        chosen = drawn(chosen, count, seed=config.getoption("randomly_seed"))
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


def _marks(item: pytest.Item) -> set[str]:
    return {mark.name for mark in item.iter_markers()}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not NOT_QUICK & report.keywords.keys():
        _took[report.nodeid.partition("::")[0]] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    SECONDS.parent.mkdir(parents=True, exist_ok=True)
    known: dict[str, float] = json.loads(SECONDS.read_text()) if SECONDS.exists() else {}
    SECONDS.write_text(json.dumps(known | {name: round(took, 2) for name, took in _took.items()}))
