"""The page on ASVS names every item of both levels once, and tests that exist."""

import ast
import re

import pytest

from tests.source_tree import ROOT, nodes_of

PAGE = (ROOT / "docs/asvs.md").read_text()
ROW = re.compile(r"^\| (\d+\.\d+\.\d+) \| ([12]) \| [^|]+ \| (?P<proof>[^|]+) \|$", re.MULTILINE)
PROOF = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
# How many items of level 1 and of level 2 each chapter has.
ITEMS = {
    (1, 1): 8,
    (1, 2): 19,
    (2, 1): 4,
    (2, 2): 7,
    (3, 1): 8,
    (3, 2): 11,
    (4, 1): 2,
    (4, 2): 8,
    (5, 1): 4,
    (5, 2): 5,
    (6, 1): 13,
    (6, 2): 22,
    (7, 1): 6,
    (7, 2): 12,
    (8, 1): 4,
    (8, 2): 3,
    (9, 1): 4,
    (9, 2): 3,
    (10, 1): 5,
    (10, 2): 24,
    (11, 1): 3,
    (11, 2): 11,
    (12, 1): 3,
    (12, 2): 6,
    (13, 1): 1,
    (13, 2): 12,
    (14, 1): 2,
    (14, 2): 7,
    (15, 1): 3,
    (15, 2): 10,
    (16, 2): 16,
    (17, 2): 7,
}


def test_every_item_of_both_levels_is_there() -> None:
    counted: dict[tuple[int, int], int] = {}
    for number, level, _ in ROW.findall(PAGE):
        place = (int(number.partition(".")[0]), int(level))
        counted[place] = counted.get(place, 0) + 1

    assert counted == ITEMS


def test_no_item_is_there_twice() -> None:
    numbers = [number for number, *_ in ROW.findall(PAGE)]

    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize(("file", "name"), sorted(set(PROOF.findall(PAGE))), ids=str)
def test_each_proof_is_a_test(file: str, name: str) -> None:
    functions = {node.name for node in nodes_of(ROOT / file) if isinstance(node, ast.FunctionDef)}

    assert name in functions
