"""A plugin for `tests/run.py`: what it runs of each file, and how long the quick tests took.

Loaded by `-p tests.timing`. A later `make check` knows by the times what fits into its own.
"""

import json
from collections import defaultdict

import pytest

from tests.reach import ROOT, SECONDS

NOT_QUICK = {"slow", "browser", "faults", "fuzz"}
_took: dict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the quick tests")
    parser.addoption("--whole", action="append", default=[], help="a file of which all tests run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not quick, but for the files that are to run whole."""
    if not config.getoption("quick"):
        return
    whole = {ROOT / name for name in config.getoption("whole")}
    slow = [item for item in items if item.path not in whole and _marks(item) & NOT_QUICK]
    items[:] = [item for item in items if item not in set(slow)]
    config.hook.pytest_deselected(items=slow)


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
