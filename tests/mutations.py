"""Small mistakes in a source file, such as a tired author makes.

A change is the replacement of one node of the syntax tree. Words and types are spared.
"""

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import CodeType
from typing import TypeVar

from tests.spared import OF_POSTGRESQL, SPARED_FIELDS, SPARED_KEYWORDS, is_spared

T = TypeVar("T")
Changes = Iterator[tuple[ast.AST, str]]

OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}
# Calls whose keywords each narrow or write something by themselves.
CONDITIONS = {"filter", "exclude", "get", "Q", "update"}
SQL = re.compile(r"\b(SELECT|UPDATE|WHERE)\b")
SQL_CHANGES = [
    (r" AND ", " OR "),
    (r" <= ", " < "),
    (r" < ", " <= "),
    (r" >= ", " > "),
    (r" > ", " >= "),
    (r" = ", " <> "),
    (r" IS NULL", " IS NOT NULL"),
    (r" IS NOT NULL", " IS NULL"),
]


@dataclass(frozen=True)
class CodePlace:
    """Where a node stands: in which function, by its first line, and whether it runs at import."""

    name: str = ""
    function: int = 0
    at_import: bool = True


@dataclass(frozen=True)
class Slot:
    """Where a node hangs in the syntax tree."""

    parent: ast.AST
    field: str
    index: int | None

    def put(self, node: ast.AST) -> ast.AST:
        """Put a node there; return the one that was."""
        nodes = getattr(self.parent, self.field)
        old: ast.AST = nodes if self.index is None else nodes[self.index]
        if self.index is None:
            setattr(self.parent, self.field, node)
        else:
            nodes[self.index] = node
        return old


@dataclass(frozen=True)
class Mutant:
    """One change of one file, not yet made."""

    file: str
    number: int
    line: int
    place: CodePlace
    change: str
    tree: ast.Module
    slot: Slot
    node: ast.AST

    @property
    def key(self) -> str:
        """What it is called where survivors are accepted: lines move, names do not."""
        return f"{self.file}:{self.place.name or 'module'}: {self.change}"

    def planted(self) -> ast.Module:
        """Return the tree of the whole file with this change."""
        old = self.slot.put(self.node)
        try:
            return copy.deepcopy(self.tree)
        finally:
            self.slot.put(old)

    def compiled(self, path: str) -> CodeType:
        """Return the code of the whole file with this change."""
        return compile(self.planted(), path, "exec", dont_inherit=True)


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Return every change that can be made to a file, always in the same order."""
    tree = ast.parse(source)
    mutants: list[Mutant] = []
    for slot, old, place in _slots(tree, CodePlace()):
        for new, change in _changes(old):
            ast.fix_missing_locations(ast.copy_location(new, old))
            line = getattr(old, "lineno", getattr(slot.parent, "lineno", 0))
            if isinstance(slot.parent, ast.keyword) and slot.parent.arg:
                change = f"{slot.parent.arg}={change}"
            mutants.append(Mutant(file, len(mutants), line, place, change, tree, slot, new))
    return mutants


def _slots(node: ast.AST, place: CodePlace) -> Iterator[tuple[Slot, ast.AST, CodePlace]]:
    """Yield each node below one, with where it hangs and its place."""
    for field, value in ast.iter_fields(node):
        if field in SPARED_FIELDS:
            continue
        inner = _inside(node, field, place)
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if is_spared(child):  # but not what it is called on
                yield from _slots(getattr(child, "func", ast.Pass()), inner)
            elif isinstance(child, ast.AST):
                slot = Slot(node, field, number if isinstance(value, list) else None)
                is_function = isinstance(child, ast.FunctionDef)
                yield slot, child, _inside(child, "", inner) if is_function else inner
                yield from _slots(child, inner)


def _inside(node: ast.AST, field: str, place: CodePlace) -> CodePlace:
    """Return the place of what stands in a field of a node at a place."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return place
    name = f"{place.name}.{node.name}" if place.name else node.name
    if isinstance(node, ast.ClassDef):
        return replace(place, name=name)
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return CodePlace(name, first, at_import=place.at_import and field != "body")


def _changes(node: ast.AST) -> Changes:
    """Yield what a node may be replaced by, and how that reads."""
    if isinstance(node, ast.stmt):
        yield from _of_statement(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node)
    else:
        yield from _of_expression(node)
    test = getattr(node, "test", None)
    if isinstance(test, ast.Name | ast.Attribute | ast.Call):
        yield _with(node, test=ast.UnaryOp(ast.Not(), test)), f"if {_text(test)} → if not"


def _of_statement(node: ast.stmt) -> Changes:
    if _can_be_missed(node):
        yield ast.Pass(), f"{_text(node)} dropped"
    elif isinstance(node, ast.AugAssign) and (other := _other_way(node)):
        yield other, f"{_text(node)} the other way"
    elif isinstance(node, ast.With) and "atomic" in ast.unparse(node.items[0]):
        yield ast.If(ast.Constant(True), node.body, []), f"with {_text(node.items[0])} dropped"
    elif isinstance(node, ast.FunctionDef):
        for decorator, others in _without_each(node.decorator_list):
            if "atomic" in ast.unparse(decorator):
                yield _with(node, decorator_list=others), f"@{_text(decorator)} dropped"


def _can_be_missed(node: ast.stmt) -> bool:
    """Return whether a statement refuses, does something, or changes an object."""
    if isinstance(node, ast.Assign):
        target = node.targets[0]
        return isinstance(target, ast.Attribute | ast.Tuple) and "." in ast.unparse(target)
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return called or isinstance(node, ast.Raise)


def _of_expression(node: ast.AST) -> Changes:
    if other := _other_way(node):
        yield other, f"{_text(node)} → {_text(other)}"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield copy.copy(node.operand), f"{_text(node)} without not"
    elif isinstance(node, ast.comprehension):
        for condition, others in _without_each(node.ifs):
            yield _with(node, ifs=others), f"if {_text(condition)} dropped"
    elif isinstance(node, ast.Set):
        for element, rest in _without_each(node.elts):
            yield _with(node, elts=rest), f"{_text(element)} dropped"
    elif isinstance(node, ast.Dict):
        yield from _of_dict(node)


def _other_way(node: ast.AST) -> ast.AST | None:
    """Return an operation with the opposite operator, if it has one."""
    if isinstance(node, ast.Compare) and "monotonic" in ast.unparse(node):
        return None  # an instant more or less of a clock that runs
    if isinstance(node, ast.Compare) and (opposite := OPPOSITES.get(type(node.ops[0]))):
        return _with(node, ops=[opposite(), *node.ops[1:]])
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in OPPOSITES:
        return _with(node, op=OPPOSITES[type(node.op)]())
    return None


def _of_dict(node: ast.Dict) -> Changes:
    for number, key in enumerate(node.keys):
        if key is not None:
            keys = node.keys[:number] + node.keys[number + 1 :]
            values = node.values[:number] + node.values[number + 1 :]
            yield _with(node, keys=keys, values=values), f"{{{_text(key)}: …}} dropped"


def _of_call(node: ast.Call) -> Changes:
    name = ast.unparse(node.func).rsplit(".", 1)[-1]
    narrows = name == "Q" or (name in CONDITIONS and isinstance(node.func, ast.Attribute))
    for keyword, others in _without_each(node.keywords):
        option = isinstance(keyword.value, ast.Constant) and keyword.value.value in (True, False)
        if keyword.arg and keyword.arg not in SPARED_KEYWORDS and (narrows or option):
            yield _with(node, keywords=others), f"{name}(… {_text(keyword)}) dropped"
    if not narrows:
        return
    if isinstance(node.func, ast.Attribute) and name != "get":
        for argument, rest in _without_each(node.args):
            yield _with(node, args=rest), f"{name}({_text(argument)} …) dropped"
    for one, two in pairwise(node.keywords):
        if ast.dump(one.value) == ast.dump(two.value):
            continue
        swapped = [_with(one, value=two.value), _with(two, value=one.value)]
        both = [word for word in node.keywords if word not in (one, two)]
        yield _with(node, keywords=[*both, *swapped]), f"{name}(… {one.arg} and {two.arg} swapped)"


def _of_constant(node: ast.Constant) -> Changes:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value), f"{value} → {not value}"
    elif isinstance(value, int):
        yield ast.Constant(value + 1), f"{value} → {value + 1}"
    elif isinstance(value, str) and SQL.search(value) and not OF_POSTGRESQL.search(value):
        for pattern, other in SQL_CHANGES:
            for found in re.finditer(pattern, value):
                changed = value[: found.start()] + other + value[found.end() :]
                near = " ".join(value[max(0, found.start() - 30) : found.end() + 20].split())
                yield ast.Constant(changed), f"SQL …{near}…:{found[0]}→{other}"
    elif isinstance(value, str) and re.fullmatch(r"-[a-z_]+", value):
        yield ast.Constant(value[1:]), f"{value!r} → {value[1:]!r}"


def _without_each(items: Sequence[T]) -> Iterator[tuple[T, list[T]]]:
    for number, item in enumerate(items):
        yield item, [*items[:number], *items[number + 1 :]]


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of a node with other fields."""
    other = copy.copy(node)
    vars(other).update(fields)
    return other


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 80 else f"{text[:79]}…"
