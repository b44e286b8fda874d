"""One name for one thing, in classes and in files; and no test module lends what it has."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.source_tree import FILES, ROOT, nodes

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

# Names that Django, DRF or a test runner looks for.
FRAMEWORK_CLASSES = {"Command", "DatabaseWrapper", "Meta"}
# Files that mean the same in every room that has them.
CONVENTIONAL = {
    "__init__", "apps", "base", "conftest", "counts", "emails", "errors", "events", "expiry",
    "failures", "filters", "formats", "forms", "metrics", "middleware", "models", "openapi",
    "providers", "reconciliation",
    "reference", "retention", "serializers", "services", "settings", "statuses", "tasks", "urls",
    "views",
}  # fmt: skip
# In these folders a file is named after what it serves: `admin/payments.py`, `views/receipts.py`.
LAYERS = {"admin", "bench", "commands", "models", "pages", "services", "templatetags", "views"}
# A test file is named after the operation that it tests, and many rooms can create or list.
OPERATIONS = {
    "browser_looks", "browser_scripts", "commands", "create", "emails", "expiry", "list", "pay",
    "races", "read", "reconciliation", "reference", "retention", "sign_in", "statuses",
}  # fmt: skip


def _repeated(pairs: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Return each name that stands in more than one place, with the places."""
    places = defaultdict(list)
    for name, path in pairs:
        places[name].append(str(path.relative_to(ROOT)))
    return {name: found for name, found in places.items() if len(found) > 1}


def test_a_class_name_means_one_thing() -> None:
    classes = (
        (node.name, path)
        for path, node in nodes(FILES)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )

    repeated = _repeated(classes)

    assert {
        name: places for name, places in repeated.items() if name not in FRAMEWORK_CLASSES
    } == {}


def test_a_file_name_means_one_thing() -> None:
    stems = (
        (path.stem, path)
        for path in FILES
        if path.parent.name not in LAYERS and path.stem not in CONVENTIONAL
    )

    repeated = _repeated(stems)

    shared = {f"test_{operation}" for operation in OPERATIONS}
    assert {stem: places for stem, places in repeated.items() if stem not in shared} == {}


@pytest.mark.parametrize("names", [CONVENTIONAL, OPERATIONS], ids=["files", "tests"])
def test_a_shared_name_is_shared(names: set[str]) -> None:
    """A name that only one file has is no convention."""
    repeated = _repeated((path.stem.removeprefix("test_"), path) for path in FILES)

    assert names - set(repeated) == set()


def test_the_name_of_a_test_stands_alone() -> None:
    """A report names the one that failed, without the one before it."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node in nodes(FILES)
        if isinstance(node, ast.FunctionDef)
        and node.name.startswith(("test_so_", "test_nor_", "test_not_", "test_but_"))
    ]

    assert wrong == []


def test_no_test_module_is_imported() -> None:
    """What two test modules need stands in a module of its own, which is no test."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno} {name}"
        for path, node in nodes(FILES)
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in _imported(node)
        if any(part.startswith("test_") for part in name.split(".")[1:]) and name[:6] == "tests."
    ]

    assert wrong == []


def _imported(node: ast.ImportFrom | ast.Import) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [f"{node.module}.{alias.name}" for alias in node.names]
