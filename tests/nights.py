"""What `make test` leaves to the night; each of the marks says why.

`night`: on both databases. `night_on_postgres`: SQLite's run has it by day, PostgreSQL's by night;
`night_on_sqlite`: the other way round. `each_on_postgres`: PostgreSQL's run has all its cases by
day as well.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.db import Error

from tests import run_environment

BY_DAY = {
    "sqlite": "not night and not night_on_sqlite",
    "postgres": "not night and not night_on_postgres",
}
BY_NIGHT = {
    "sqlite": "night or night_on_sqlite",
    "postgres": "night or night_on_postgres",
}
WITHOUT_POSTGRESQL = "not night"  # the day of a machine that has SQLite alone
# Rooms of pages: what these show and change, tests of the rooms below store and read. Of what
# SQLite's run has by day, PostgreSQL's has the first test of each of their files, and of other
# files the first case of each test.
PAGES = {"backoffice", "checkout"}
# A file that names one of these speaks SQL, or counts it: its cases may be the statements.
OF_SQL = {"connection", "all_rights", "tamper"}
DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
RELEASED = "its migration is released, and never changes again"
LATER_CASE = "the other run of the day has it, and this one the first case of the same test"
LATER_TEST = (
    "the other run of the day has it, and this one the first test of the same file of pages"
)
ONCE = "PostgreSQL's day has it, and this one another of the same file"
ITS_OWN = "no other test of PostgreSQL's day sends some of its statements"


def at_night(*cases: Any, why: str) -> list[Any]:
    """Mark cases whose siblings run by day; those of several parameters are tuples."""
    each = (case if isinstance(case, tuple) else (case,) for case in cases)
    return [pytest.param(*case, marks=pytest.mark.night(why)) for case in each]


def is_elsewhere(item: pytest.Item) -> bool:
    """Return whether the run on the other database has it."""
    if not run_environment.ON_POSTGRESQL:
        return item.get_closest_marker("postgres") is not None
    return item.get_closest_marker("postgres") is None and is_same_on_both(item)


def is_same_on_both(item: pytest.Item) -> bool:
    """Return whether the database changes nothing of what it finds: then SQLite's run has it.

    What a page writes is tested on both without a browser.
    """
    if any(map(item.get_closest_marker, ("sqlite", "browser"))):
        return True
    fixtures = set(item.fixturenames) if isinstance(item, pytest.Function) else set()
    return not (item.get_closest_marker("django_db") or fixtures & DATABASE_FIXTURES)


def leave_to_sqlite(items: Iterable[pytest.Item]) -> None:
    """Mark what PostgreSQL's day can do without, as it has the first of the same kind."""
    for item, why in _later(items, lambda item: not is_needed_whole(item)):
        item.add_marker(pytest.mark.night_on_postgres(why))


def leave_to_postgresql(items: Iterable[pytest.Item]) -> None:
    """Mark what SQLite's day can do without, of what PostgreSQL's has.

    Of a file that speaks to the database, it has what `leave_to_sqlite` would keep. Of another, it
    has what PostgreSQL's day lacks, or else the first test, and each that commits.
    """
    items = list(items)
    left = {item for item, _ in _later(items, lambda item: not is_needed_whole(item))}
    for item, why in _later(items, _is_whole_by_day):
        item.add_marker(pytest.mark.night_on_sqlite(why))
    there = (item for item in items if isinstance(item, pytest.Function) and item not in left)
    met = {item.path for item in left if not item.get_closest_marker("night")}
    for item in sorted(there, key=place):
        if is_needed_whole(item) or not _is_by_day_on_postgresql(item):
            continue
        if item.path in met and not _commits(item):
            item.add_marker(pytest.mark.night_on_sqlite(ONCE))
        met.add(item.path)


def _is_whole_by_day(item: pytest.Function) -> bool:
    return is_needed_whole(item) and _is_by_day_on_postgresql(item)


def _is_by_day_on_postgresql(item: pytest.Function) -> bool:
    """Return whether it is, for all that marks of its own say; there alone does not count."""
    return not any(map(item.get_closest_marker, ("postgres", "night", "night_on_postgres")))


def _kind(item: pytest.Function) -> tuple[str, str]:
    """Return why later ones can wait, and the test or the file of pages of which they are."""
    if item.path.parent.name in PAGES and not _commits(item):
        return LATER_TEST, str(item.path)
    return LATER_CASE, item.nodeid.partition("[")[0]


def _later(
    items: Iterable[pytest.Item], is_meant: Callable[[pytest.Function], bool]
) -> Iterator[tuple[pytest.Function, str]]:
    """Yield each of these that is not the first of its kind, and why it can wait."""
    kinds = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and is_meant(item):
            kinds[_kind(item)].append(item)
    for (why, _), those in kinds.items():
        yield from ((item, why) for item in sorted(those, key=place)[1:])


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
