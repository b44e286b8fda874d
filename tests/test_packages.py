"""Every package that is imported is asked for, with a sentence, and pinned with its hashes."""

import ast
import re
import sys
import tomllib
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.source_tree import FILES, ROOMS, ROOT, SERVICE, nodes

# Where the files have been read already.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BASE = PROJECT["dependencies"]
DEVELOPMENT = PROJECT["optional-dependencies"]["development"]
OURS = {*ROOMS, "tests", "bench"}
PINNED = re.compile(r"^([a-z0-9-]+)==(\S+) \\$", re.MULTILINE)


def _name(requirement: str) -> str:
    return re.sub("[_.]", "-", re.split(r"[\[<>=;]", requirement, maxsplit=1)[0].lower())


def _imported(paths: list[Path]) -> set[str]:
    """Return the distributions that the files import."""
    modules = set()
    for _, node in nodes(paths):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add((node.module or "").split(".")[0])
    known = packages_distributions()
    foreign = modules - set(sys.stdlib_module_names) - OURS
    return {known[module][0].lower().replace("_", "-") for module in foreign if module in known}


def test_the_service_imports_only_what_it_asks_for() -> None:
    # Kombu is Celery's own transport, structlog and Django come with their stubs.
    assert _imported(SERVICE) - {_name(item) for item in BASE} - {"kombu", "asgiref"} == set()


def test_the_tests_import_only_what_is_asked_for() -> None:
    asked = {_name(item) for item in BASE + DEVELOPMENT}

    asked_by_extra = {"psycopg-pool"}  # of psycopg[pool]
    asked_by_others = {"kombu", "asgiref", "urllib3", "packaging"}

    assert _imported(FILES) - asked - asked_by_extra - asked_by_others == set()


@pytest.mark.parametrize("requirement", BASE + DEVELOPMENT)
def test_each_package_has_a_sentence(requirement: str) -> None:
    text = (ROOT / "pyproject.toml").read_text()

    assert re.search(rf'^    "{re.escape(requirement)}", # \S+ \S+', text, re.MULTILINE)


@pytest.mark.parametrize(
    ("file", "asked"), [("base.txt", BASE), ("development.txt", BASE + DEVELOPMENT)]
)
def test_each_package_is_pinned(file: str, asked: list[str]) -> None:
    pinned = dict(PINNED.findall((ROOT / "requirements" / file).read_text()))

    assert {_name(item) for item in asked} - set(pinned) == set()


@pytest.mark.parametrize("version", ["3.11.0", "3.11.2", "3.12.0", "3.13.0"])
def test_what_any_python_asks_for_is_pinned(version: str) -> None:
    """pip takes nothing without a hash, and Debian 12 has Python 3.11.2, older than what pinned."""
    python = {
        "python_full_version": version,
        "python_version": version.rpartition(".")[0],
        "sys_platform": "linux",
        "extra": "",
    }
    pinned = dict(PINNED.findall((ROOT / "requirements/development.txt").read_text()))
    asked = {
        _name(item.name)
        for package in distributions()
        if _name(package.name) in pinned
        for item in map(Requirement, package.requires or ())
        if not item.marker or item.marker.evaluate(python)
    }

    assert asked - set(pinned) == set()


@pytest.mark.parametrize("file", ["base.txt", "development.txt"])
def test_pins_name_no_index_and_no_machine(file: str) -> None:
    lines = (ROOT / "requirements" / file).read_text().splitlines()

    assert [line for line in lines if re.search(r"^-|:/|@|(^|[ =])/", line)] == []
