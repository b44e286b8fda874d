"""What `make test` leaves to the night; each of the marks says why.

`night`: on both databases. `night_on_postgres`: SQLite's run has it by day, PostgreSQL's by night.
`each_on_postgres`: PostgreSQL's run has all its cases by day as well.
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
# A file that names one of these speaks SQL, or counts it: its cases may be the statements.
OF_SQL = {"connection", "all_rights", "tamper"}
RELEASED = "its migration is released, and never changes again"
LATER_CASE = "by day SQLite's run has it, and PostgreSQL's the first cases of the same test"


def at_night(*cases: Any, why: str) -> list[Any]:
    """Mark cases whose siblings run by day; those of several parameters are tuples."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.night(why)) for case in each]


def leave_later_cases(items: Iterable[pytest.Item]) -> None:
    """Mark the later cases of each test, unless the case itself is what PostgreSQL is told."""
    tests = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and not is_needed_whole(item):
            tests[item.nodeid.partition("[")[0]].append(item)
    for cases in tests.values():
        for item in sorted(cases, key=_place)[CASES:]:
            item.add_marker(pytest.mark.night_on_postgres(LATER_CASE))


def _place(item: pytest.Function) -> tuple[int, ...]:
    """Return where a case stands in its file, whatever order the tests are run in."""
    return tuple(item.callspec.indices.values()) if hasattr(item, "callspec") else ()


def is_needed_whole(item: pytest.Function) -> bool:
    """Return whether no other run has it, a mark says so, or its file speaks to the database.

    A file does that which expects the database itself to refuse, or has statements of its own.
    """
    if any(map(item.get_closest_marker, ("postgres", "each_on_postgres"))):
        return True
    named = vars(item.module)
    refused = any(isinstance(each, type) and issubclass(each, Error) for each in named.values())
    return refused or not OF_SQL.isdisjoint(named)
