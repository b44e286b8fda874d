"""What is one transaction stands in `transactions.txt`, be it a function or a block of one.

A test runs inside of a transaction itself, and so misses none that is gone.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.source_tree import ROOT, SERVICE, tree_of

LISTED = Path(__file__).with_name("transactions.txt")
MARKS = {
    "transaction.atomic": "",
    "transaction.atomic(savepoint=False)": "",
    "transaction.atomic(durable=True)": " durable",
}


def test_what_is_written_together_stands_or_falls_together() -> None:
    found = sorted(line for path in SERVICE for line in _transactions_of(path))

    assert found == LISTED.read_text().splitlines()


def _transactions_of(path: Path) -> Iterator[str]:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    yield from _within(tree_of(path), module)


def _within(node: ast.AST, name: str) -> Iterator[str]:
    """Yield the functions that are one transaction or hold one, by their whole names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.With):
            managers = (ast.unparse(it.context_expr) for it in child.items)
            yield from (f"{name} with {it}" for it in managers if "atomic" in it)
        if not isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield from _within(child, name)
            continue
        own = f"{name}.{child.name}"
        decorators = {ast.unparse(it) for it in child.decorator_list}
        yield from (f"{own}{MARKS[it]}" for it in decorators if "atomic" in it)
        yield from _within(child, own)
