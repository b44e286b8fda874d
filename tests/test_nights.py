"""What the day leaves to the night has its reason, stands on the page, and is run."""

import ast

import pytest

from tests.nights import BY_DAY, BY_NIGHT
from tests.run import night_steps, steps
from tests.run_environment import ON_POSTGRESQL
from tests.source_tree import FILES, ROOT, nodes_of

PAGE = (ROOT / "docs/contributing.md").read_text()
MARKS = {"night", "night_on_postgres"}
TESTS = [path for path in FILES if path.stem.startswith("test_")]


def _marks(tree: tuple[ast.AST, ...]) -> list[ast.Attribute]:
    return [
        node
        for node in tree
        if isinstance(node, ast.Attribute)
        and node.attr in MARKS
        and ast.unparse(node.value) == "pytest.mark"
    ]


def _cases(tree: tuple[ast.AST, ...]) -> list[ast.Name]:
    return [node for node in tree if isinstance(node, ast.Name) and node.id == "at_night"]


def test_each_mark_has_its_reason() -> None:
    for path in TESTS:
        tree = nodes_of(path)
        reasons = {node.func: node.args for node in tree if isinstance(node, ast.Call)}
        for mark in _marks(tree):
            assert len(reasons.get(mark, ())) == 1, f"{path}:{mark.lineno}"


def test_the_page_names_each_file_that_has_one() -> None:
    left = [path.stem for path in TESTS if _marks(nodes_of(path)) or _cases(nodes_of(path))]

    assert [stem for stem in left if f"`{stem}`" not in PAGE] == []
    assert left


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
@pytest.mark.parametrize("night", [True, False])
@pytest.mark.parametrize("night_on_postgres", [True, False])
def test_each_test_is_run_either_by_day_or_by_night(
    database: str, night: bool, night_on_postgres: bool
) -> None:
    marks = {"night": night, "night_on_postgres": night_on_postgres}
    by_day, by_night = (eval(chosen[database], {}, marks) for chosen in (BY_DAY, BY_NIGHT))

    # The second mark is of the other database's run alone.
    assert by_day is not by_night


def test_both_are_commands() -> None:
    for database in ("sqlite", "postgres"):
        for chosen, wanted in ((steps(fast=False), BY_DAY), (night_steps(), BY_NIGHT)):
            assert [
                step
                for step in chosen
                if step.environment.get("TEST_DATABASE") == database
                and wanted[database] in step.command
            ]


@pytest.mark.django_db
@pytest.mark.parametrize("case", [0, 1, 2])
def test_postgresql_has_two_cases_by_day(request: pytest.FixtureRequest, case: int) -> None:
    by_night = request.node.get_closest_marker("night_on_postgres") is not None

    assert by_night is (ON_POSTGRESQL and case == 2)


@pytest.mark.postgres
@pytest.mark.parametrize("case", [0, 1, 2])
def test_it_has_each_of_what_it_alone_plays(request: pytest.FixtureRequest, case: int) -> None:
    assert request.node.get_closest_marker("night_on_postgres") is None
