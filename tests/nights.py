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
# Rooms of pages: what these show and change, tests of the rooms below store and read. PostgreSQL's
# run has the first test of each of their files by day, and of other files the first case of each.
PAGES = {"backoffice", "checkout"}
# A file that names one of these speaks SQL, or counts it: its cases may be the statements.
OF_SQL = {"connection", "all_rights", "tamper"}
RELEASED = "its migration is released, and never changes again"
LATER_CASE = "by day SQLite's run has it, and PostgreSQL's the first case of the same test"
LATER_TEST = "by day SQLite's run has it, and PostgreSQL's the first test of the same file of pages"
ITS_OWN = "no other test of PostgreSQL's day sends some of its statements"


def at_night(*cases: Any, why: str) -> list[Any]:
    """Mark cases whose siblings run by day; those of several parameters are tuples."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.night(why)) for case in each]


def leave_to_sqlite(items: Iterable[pytest.Item]) -> None:
    """Mark what PostgreSQL's day can do without, as it has the first of the same kind."""
    kinds = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and not is_needed_whole(item):
            kinds[_kind(item)].append(item)
    for (why, _), those in kinds.items():
        for item in sorted(those, key=place)[1:]:
            item.add_marker(pytest.mark.night_on_postgres(why))


def _kind(item: pytest.Function) -> tuple[str, str]:
    """Return why later ones can wait, and the test or the file of pages of which they are."""
    if item.path.parent.name in PAGES and not _commits(item):
        return LATER_TEST, str(item.path)
    return LATER_CASE, item.nodeid.partition("[")[0]


def _commits(item: pytest.Function) -> bool:
    """Return whether others see what it writes: what they wait for differs from SQLite."""
    mark = item.get_closest_marker("django_db")
    return mark is not None and bool(mark.kwargs.get("transaction"))


def place(item: pytest.Function) -> tuple[int, ...]:
    """Return where a case stands in its file, whatever order the tests are run in."""
    cases = item.callspec.indices.values() if hasattr(item, "callspec") else ()
    return (item.function.__code__.co_firstlineno, *cases)


def is_needed_whole(item: pytest.Function) -> bool:
    """Return whether no other run has it, a mark says so, or its file speaks to the database.

    A file does that which expects the database itself to refuse, or has statements of its own.
    """
    if any(map(item.get_closest_marker, ("postgres", "each_on_postgres"))):
        return True
    named = vars(item.module)
    refused = any(isinstance(each, type) and issubclass(each, Error) for each in named.values())
    return refused or not OF_SQL.isdisjoint(named)
