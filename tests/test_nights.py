"""What the day leaves to the night has its reason, stands on the page, and is run."""

import ast
import re
from collections import Counter
from collections.abc import Callable

import pytest

from tests.nights import (
    BY_DAY,
    BY_NIGHT,
    OF_SQL,
    WITHOUT_POSTGRESQL,
    is_needed_whole,
    leave_to_postgresql,
    leave_to_sqlite,
    place,
)
from tests.postgres import PostgresMissing
from tests.run import SEED, Tally, conclude, night_steps, steps
from tests.run_environment import ON_POSTGRESQL
from tests.source_tree import FILES, ROOT, nodes_of

PAGE = (ROOT / "docs/contributing.md").read_text()
SECTION = PAGE.partition("\n## What the day leaves to the night\n")[2].partition("\n## ")[0]
LEFT = {"night", "night_on_postgres", "night_on_sqlite"}
MARKS = LEFT | {"each_on_postgres"}
TESTS = [path for path in FILES if path.stem.startswith("test_")]


def _marks(tree: tuple[ast.AST, ...], names: set[str]) -> list[ast.Attribute]:
    return [
        node
        for node in tree
        if isinstance(node, ast.Attribute)
        and node.attr in names
        and ast.unparse(node.value) == "pytest.mark"
    ]


def _calls(tree: tuple[ast.AST, ...]) -> list[ast.Call]:
    return [
        node
        for node in tree
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "at_night"
    ]


def _is_reason(*arguments: ast.expr) -> bool:
    """Return whether it is one argument: words, or the name of some."""
    match arguments:
        case [ast.Constant(value=str(words))]:
            return bool(words.strip())
        case [ast.Name()]:
            return True
    return False


def test_each_mark_has_its_reason() -> None:
    for path in TESTS:
        tree = nodes_of(path)
        given = {node.func: node for node in tree if isinstance(node, ast.Call)}
        for mark in _marks(tree, MARKS):
            reason = given[mark].args if mark in given else ()
            assert _is_reason(*reason), f"{path}:{mark.lineno}"
        for call in _calls(tree):
            whys = [word.value for word in call.keywords if word.arg == "why"]
            assert _is_reason(*whys), f"{path}:{call.lineno}"


def test_the_page_names_each_file_that_has_one_and_no_other() -> None:
    left = {
        path.relative_to(ROOT / "tests").with_suffix("").as_posix()
        for path in TESTS
        if _marks(nodes_of(path), LEFT) or _calls(nodes_of(path))
    }

    assert left == set(re.findall(r"`((?:\w+/)?test_\w+)`", SECTION))


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("night", [True, False])
@pytest.mark.parametrize("left", [True, False])
def test_each_test_is_run_either_by_day_or_by_night(database: str, night: bool, left: bool) -> None:
    marks = {"night": night, f"night_on_{database}": left}
    by_day, by_night = (eval(chosen[database], {}, marks) for chosen in (BY_DAY, BY_NIGHT))

    assert by_day is not by_night
    assert by_night is (night or left)


def test_both_are_commands() -> None:
    for database in ("sqlite", "postgres"):
        for chosen, wanted in ((steps(fast=False), BY_DAY), (night_steps(), BY_NIGHT)):
            assert [
                step
                for step in chosen
                if step.environment.get("TEST_DATABASE") == database
                and wanted[database] in step.command
            ]


def test_without_postgresql_the_day_leaves_nothing_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise PostgresMissing("none")

    monkeypatch.setattr("tests.run.programs", missing)
    monkeypatch.delenv("CI", raising=False)

    [sqlite] = [step for step in steps(fast=False) if "TEST_DATABASE" in step.environment]

    assert sqlite.environment["TEST_DATABASE"] == "sqlite"
    assert WITHOUT_POSTGRESQL in sqlite.command


@pytest.mark.django_db
@pytest.mark.parametrize("case", [0, 1, 2])
def test_postgresql_has_one_case_by_day(request: pytest.FixtureRequest, case: int) -> None:
    by_night = request.node.get_closest_marker("night_on_postgres") is not None

    assert by_night is (ON_POSTGRESQL and case > 0)


@pytest.mark.django_db
@pytest.mark.parametrize("case", [0, 1, 2])
def test_sqlite_has_by_day_what_postgresql_has_by_night(
    request: pytest.FixtureRequest, case: int
) -> None:
    by_night = request.node.get_closest_marker("night_on_sqlite") is not None

    assert by_night is (case == 0 and not ON_POSTGRESQL)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("case", [0, 1])
def test_both_have_the_first_case_of_what_commits(
    request: pytest.FixtureRequest, case: int
) -> None:
    assert request.node.get_closest_marker("night_on_sqlite") is None


@pytest.mark.django_db
@pytest.mark.each_on_postgres("the same the other way round")
@pytest.mark.parametrize("case", [0, 1, 2])
def test_sqlite_has_one_by_day_of_what_postgresql_has_whole(
    request: pytest.FixtureRequest, case: int
) -> None:
    by_night = request.node.get_closest_marker("night_on_sqlite") is not None

    assert by_night is (case > 0 and not ON_POSTGRESQL)


@pytest.mark.parametrize("case", [0, 1, 2])
@pytest.mark.each_on_postgres("it has no database, though")
def test_sqlite_has_each_of_what_it_alone_plays(request: pytest.FixtureRequest, case: int) -> None:
    assert request.node.get_closest_marker("night_on_sqlite") is None


@pytest.mark.parametrize("commits", [False, True])
@pytest.mark.parametrize("leave", [leave_to_sqlite, leave_to_postgresql])
def test_of_a_file_of_pages_it_has_the_first_test_and_what_commits(
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    leave: Callable[[list[pytest.Function]], None],
    commits: bool,
) -> None:
    ours = [item for item in request.session.items if item.path == request.node.path]
    items = [item for item in ours if isinstance(item, pytest.Function)]
    ordinary = [item for item in items if not is_needed_whole(item)]
    left: list[pytest.Item] = []
    monkeypatch.setattr("tests.nights.PAGES", {"tests"})
    monkeypatch.setattr("tests.nights._commits", lambda item: commits)
    monkeypatch.setattr(pytest.Function, "add_marker", lambda item, mark: left.append(item))
    if leave is leave_to_postgresql:
        monkeypatch.setattr("tests.nights.is_needed_whole", lambda item: item in ordinary)

    leave(items)

    kept = [item for item in ordinary if item not in left]
    assert min(ordinary, key=place) in kept
    assert len(kept) == (len({item.originalname for item in ordinary}) if commits else 1)


@pytest.mark.parametrize("alone", [False, True])
def test_sqlite_has_the_first_of_a_file_where_it_has_no_other(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    found = (item for item in request.session.items if isinstance(item, pytest.Function))
    cases = [item for item in found if item.function is request.function]
    items = sorted(cases, key=place)[: 1 if alone else None]
    left: list[pytest.Item] = []
    monkeypatch.setattr("tests.nights.PAGES", {"tests"})
    monkeypatch.setattr(pytest.Function, "add_marker", lambda item, mark: left.append(item))

    leave_to_postgresql(items)

    assert left == ([] if len(items) == 1 else items[:1])


def _ordinary(request: pytest.FixtureRequest) -> list[pytest.Function]:
    """Return some tests of this file as they stand in it, whichever of them are run."""
    tests = (
        test_each_mark_has_its_reason,
        test_the_page_names_each_file_that_has_one_and_no_other,
        test_both_are_commands,
        test_it_has_each_of_what_a_mark_names,
    )
    return [pytest.Function.from_parent(request.node.parent, name=it.__name__) for it in tests]


@pytest.mark.parametrize("mark", ["night", "night_on_postgres"])
def test_of_a_file_that_both_have_sqlite_has_the_first(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    elsewhere, *both = _ordinary(request)
    elsewhere.add_marker(mark)
    left: list[pytest.Item] = []
    monkeypatch.setattr(pytest.Function, "add_marker", lambda item, mark: left.append(item))

    leave_to_postgresql([both[-1], *both[:-1], elsewhere])

    assert left == both[1:]


def test_what_runs_by_night_counts_for_no_day(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, later, *_ = _ordinary(request)
    later.add_marker("night")
    left: list[pytest.Item] = []
    monkeypatch.setattr("tests.nights.PAGES", {"tests"})
    monkeypatch.setattr(pytest.Function, "add_marker", lambda item, mark: left.append(item))

    leave_to_postgresql([first, later])

    assert left == []


@pytest.mark.postgres
@pytest.mark.parametrize("case", [0, 1, 2])
def test_it_has_each_of_what_it_alone_plays(request: pytest.FixtureRequest, case: int) -> None:
    assert request.node.get_closest_marker("night_on_postgres") is None


@pytest.mark.parametrize("name", sorted(OF_SQL))
def test_it_has_each_of_a_file_that_speaks_sql(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    assert not is_needed_whole(request.node)

    monkeypatch.setitem(vars(request.module), name, object())

    assert is_needed_whole(request.node)


def test_it_has_each_of_what_a_mark_names(request: pytest.FixtureRequest) -> None:
    assert not is_needed_whole(request.node)

    request.node.add_marker("each_on_postgres")

    assert is_needed_whole(request.node)


def test_a_night_that_fails_ends_with_what_plays_it_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally(Counter(passed=3, failed=1), ["FAILED tests/ledger/test_machine.py::test_many"])

    assert conclude(tally, target="night") == 1

    assert capsys.readouterr().out.splitlines() == [
        "FAILED tests/ledger/test_machine.py::test_many",
        f"To play it again: SEED={SEED} make night",
        "3 passed, 1 failed",
    ]


def test_a_night_that_passes_has_nothing_to_play_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert conclude(Tally(Counter(passed=3)), target="night") == 0

    assert capsys.readouterr().out == "3 passed, 0 failed\n"
