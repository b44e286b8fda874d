"""What no mistake is planted in, and why."""

import ast
import re

# Logging, what types say again, and locks: SQLite has none, the races on PostgreSQL hold them.
SPARED_CALLS = {"log", "logger", "dataclass", "select_for_update"}
SPARED_FIELDS = {"annotation", "returns", "type_comment"}
# By how many statements a row is written: the request costs hold it. What types say: `total`.
# What the linter wants to be said of two lists that the code itself has made as long: `strict`.
SPARED_KEYWORDS = {"commit", "force_insert", "force_update", "savepoint", "strict", "total"}
# Words for debugging, and the attributes that a test runner looks at.
SPARED_NAMES = re.compile(r"__(str|repr|test)__")
# How much is done at a time: with one more all is done as well.
SPARED_CONSTANTS = re.compile(
    r"(\w+_)?(BATCH|CHUNK|CHUNK_BYTES|AT_ONCE|SAMPLES)|_CHANGE_COVERED|_POSTGRESQL"
)
# SQL that SQLite does not read: tests/ledger/test_schema_evidence.py holds it on PostgreSQL.
OF_POSTGRESQL = re.compile(r"::|\bpg_|\bcurrent_schema\b")


def is_spared(node: object) -> bool:
    """Return whether no mistake is planted in a node, or below it."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING"
    if isinstance(node, ast.keyword):
        return node.arg in SPARED_KEYWORDS
    if isinstance(node, ast.FunctionDef):
        return SPARED_NAMES.fullmatch(node.name) is not None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return SPARED_CONSTANTS.fullmatch(node.targets[0].id) is not None
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return SPARED_NAMES.fullmatch(node.targets[0].attr) is not None
    if isinstance(node, ast.Expr) and ".select_for_update(" in ast.unparse(node):
        return True  # a row that is read to lock it
    call = node.value if isinstance(node, ast.Expr) else node
    names = ast.unparse(call.func).split(".") if isinstance(call, ast.Call) else []
    return bool(SPARED_CALLS & {*names[:1], *names[-1:]})
