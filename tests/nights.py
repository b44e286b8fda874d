"""What `make test` leaves to the night; each of the two marks says why.

`night`: on both databases. `night_on_postgres`: SQLite's run has it by day, PostgreSQL's by night.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import Error

BY_DAY = {
    "sqlite": "not night",
    "postgres": "not night and not night_on_postgres",
}
BY_NIGHT = {
    "sqlite": "night",
    "postgres": "night or night_on_postgres",
}
# How many cases of a test PostgreSQL's run has by day; the same ones each day.
CASES = 2
RELEASED = "its migration is released, and never changes again"
LATER_CASE = "by day SQLite's run has it, and PostgreSQL's the first cases of the same test"


def at_night(*cases: Any, why: str) -> list[Any]:
    """Return cases beside which the day has others; those of several parameters are tuples."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.night(why)) for case in each]


def leave_later_cases(items: Iterable[pytest.Item]) -> None:
    """Mark the later cases of each test, but of those that only PostgreSQL can play."""
    tests = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and not _is_of_postgresql(item):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        for item in sorted(cases, key=_place)[CASES:]:
            item.add_marker(pytest.mark.night_on_postgres(LATER_CASE))


def _place(item: pytest.Function) -> tuple[int, ...]:
    """Return where a case stands in its file, whatever order the tests are run in."""
    return tuple(item.callspec.indices.values()) if hasattr(item, "callspec") else ()


def _is_of_postgresql(item: pytest.Function) -> bool:
    """Return whether no other run has it, or its file expects the database itself to refuse."""
    if item.get_closest_marker("postgres"):
        return True
    named = vars(item.module).values()
    return any(isinstance(each, type) and issubclass(each, Error) for each in named)
