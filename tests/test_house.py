"""The rules of the house that no linter knows. Each names the line that breaks it."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source_tree import FILES, ROOT, SERVICE, nodes, nodes_of

# One process looks at the files, and reads each once.
pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
FILE_LINES = 300
FUNCTION_LINES = 50
VAGUE = {"utils", "helpers", "common", "managers", "mixins", "base", "misc"}
NAMED_BY_DJANGO = {"config/postgresql/base.py", "config/sqlite/base.py"}


def _place(path: Path, node: ast.AST | None = None) -> str:
    line = f":{node.lineno}" if isinstance(node, ast.stmt | ast.expr) else ""
    return f"{path.relative_to(ROOT)}{line}"


def test_there_are_files_to_look_at() -> None:
    assert len(SERVICE) > 50


def test_no_file_is_too_long() -> None:
    lengths = {_place(path): len(path.read_text().splitlines()) for path in FILES}

    assert {name: count for name, count in lengths.items() if count > FILE_LINES} == {}


def test_no_function_is_too_long() -> None:
    long = [
        f"{_place(path, node)} {node.name}"
        for path, node in nodes(FILES)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    ]

    assert long == []


def test_no_file_has_a_vague_name() -> None:
    vague = {_place(path) for path in FILES if path.stem in VAGUE}

    assert vague - NAMED_BY_DJANGO == set()


def test_only_transition_to_writes_a_status() -> None:
    machines = _machines()
    wrong = [
        _place(path, node)
        for path in SERVICE
        if path.parts[-2] != "core"  # there, a status is HTTP's
        for function in nodes_of(path)
        if isinstance(function, ast.FunctionDef) and function.name != "transition_to"
        for node in ast.walk(function)
        if isinstance(node, ast.stmt | ast.expr)
        and (_assigns_status(node) or _updates(node, machines))
    ]

    assert wrong == []
    assert "Payment" in machines


def _assigns_status(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return False
    return any(isinstance(target, ast.Attribute) and target.attr == "status" for target in targets)


def _machines() -> set[str]:
    """Return the models that have a state machine: those that define `transition_to`."""
    return {
        node.name
        for _, node in nodes(SERVICE)
        if isinstance(node, ast.ClassDef)
        and any(
            isinstance(item, ast.FunctionDef) and item.name == "transition_to" for item in node.body
        )
    }


def _updates(node: ast.AST, machines: set[str]) -> bool:
    """Return whether a node is `Payment.objects….update(status=…)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "update"
        and any(keyword.arg == "status" for keyword in node.keywords)
        and any(f"{name}." in ast.unparse(node.func) for name in machines)
    )


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def test_a_lock_takes_no_rows_that_are_only_read_along() -> None:
    """PostgreSQL locks all that a statement joins, in an order of its own, or refuses to."""
    wrong = [
        _place(path, lock)
        for path, function in nodes(SERVICE)
        if isinstance(function, ast.FunctionDef) and _calls(function, "select_related")
        for lock in _calls(function, "select_for_update")
        if all(keyword.arg != "of" for keyword in lock.keywords)
        and lock not in _calls(function, "values_list").values()  # reads no row along
    ]

    assert wrong == []


def _calls(function: ast.FunctionDef, method: str) -> dict[ast.Call, ast.expr]:
    """Return the calls of a method, each with what it is called on."""
    return {
        node: node.func.value
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    }


def test_the_clock_is_read_in_one_place() -> None:
    clock = ROOT / "core/clock.py"
    wrong = [
        _place(path, node)
        for path, node in nodes([path for path in SERVICE if path != clock])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (_name(node.func.value), node.func.attr)
        in {("timezone", "now"), ("datetime", "now"), ("datetime", "utcnow"), ("date", "today")}
    ]

    assert wrong == []


def test_no_model_lets_django_set_a_time() -> None:
    wrong = [
        _place(path, node.value)
        for path, node in nodes(SERVICE)
        if isinstance(node, ast.keyword) and node.arg in ("auto_now", "auto_now_add")
    ]

    assert wrong == []


MONEY_ROOMS = ("ledger", "payments", "refunds", "payouts", "funding", "links")


@pytest.mark.parametrize("room", MONEY_ROOMS)
def test_no_float_and_no_division_near_money(room: str) -> None:
    wrong = [
        _place(path, node)
        for path, node in nodes([path for path in SERVICE if path.parts[-2] == room])
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_amount(node.left))
        or (isinstance(node, ast.Name) and node.id in ("float", "FloatField", "DecimalField"))
        or (isinstance(node, ast.Attribute) and node.attr in ("FloatField", "DecimalField"))
    ]

    assert wrong == []


def _is_amount(node: ast.expr) -> bool:
    return "amount" in ast.unparse(node)


def test_no_signal_connects_two_rooms() -> None:
    wrong = [
        _place(path, node)
        for path, node in nodes(SERVICE)
        if isinstance(node, ast.ImportFrom)
        and node.module in ("django.db.models.signals", "django.dispatch")
    ]

    assert wrong == []


def test_no_view_answers_a_refusal_by_hand() -> None:
    """A refusal is an ApiError; `Response(status=4xx)` in a view would go round the handler."""
    wrong = [
        _place(path, node)
        for path, node in nodes([path for path in SERVICE if path.stem == "views"])
        if isinstance(node, ast.keyword)
        and node.arg == "status"
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, int)
        and node.value.value >= 400
    ]

    assert wrong == []


# Habits of speech that a reader of the trade stumbles over, each with the word to use.
QUAINT = {
    r"(say|says|tell|tells) whether": "return whether",
    r"who(m)?ever": "the caller, anyone who, …",
    r"(no|any|some|every)body": "no one else, another process, …",
    r"(a|the|each|one|first|next|last|wrong|failed) try": "attempt",
    r"(take|takes|taken|took) up": "start",
}
HABITS = re.compile(rf"\b({'|'.join(QUAINT)})\b", re.IGNORECASE)


def _prose(path: Path) -> Iterator[str]:
    """Yield each docstring and comment of a file, and each name of a function or class."""
    for node in nodes_of(path):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""
            yield getattr(node, "name", "")
    with path.open("rb") as source:
        for token in tokenize.tokenize(source.readline):
            if token.type == tokenize.COMMENT:
                yield token.string


def test_docstrings_comments_and_names_read_as_the_trade_writes() -> None:
    wrong = [
        f"{_place(path)}: {found[0]}"
        for path in FILES
        if path != Path(__file__)
        if HABITS.search(_plain(path.read_text()))  # most have none: no tokens needed
        for text in _prose(path)
        if (found := HABITS.search(_plain(text)))
    ]

    assert wrong == []


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").split())


def test_documents_and_scripts_read_as_the_trade_writes() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    documents += [*(ROOT / "static").rglob("*.js"), *(ROOT / "static").rglob("*.css")]
    wrong = [
        f"{_place(path)}: {found[0]}"
        for path in documents
        if (found := HABITS.search(_plain(path.read_text())))
    ]

    assert wrong == []


def test_a_request_reads_the_clock_once() -> None:
    """Its edges ask for the instant of the request; what is below takes `now`."""
    wrong = [
        _place(path, node)
        for path, node in nodes([path for path in SERVICE if _is_edge(path)])
        if isinstance(node, ast.Name) and node.id == "utc_now"
    ]

    assert wrong == []


def _is_edge(path: Path) -> bool:
    room = path.relative_to(ROOT).parts
    return path.stem in ("views", "authentication", "middleware", "idempotency") or room[:2] in (
        ("backoffice", "admin"),
        ("backoffice", "pages"),
        ("checkout", "views"),
    )
