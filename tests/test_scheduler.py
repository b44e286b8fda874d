"""Which tests follow each other in one process."""

import re

import pytest

from tests.scheduler import TOGETHER, BriefScheduler
from tests.source_tree import ROOT


def process_of(nodeid: str) -> str:
    return BriefScheduler._split_scope(BriefScheduler.__new__(BriefScheduler), nodeid)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tests/core/test_ids.py::test_a", "tests/core/test_ids.py::test_b[1]"),
        ("tests/test_readme.py::test_a", "tests/test_shop.py::test_b"),
    ],
)
def test_these_do(one: str, other: str) -> None:
    assert process_of(one) == process_of(other)


def test_those_of_other_files_need_not() -> None:
    assert process_of("tests/core/test_ids.py::test_a") != process_of("tests/test_shop.py::test_a")


def test_each_file_that_needs_the_running_service_shares_it() -> None:
    needing = {
        str(file.relative_to(ROOT))
        for file in ROOT.glob("tests/**/test_*.py")
        if re.search(r"\bservice: Service\b", file.read_text())
    }

    assert needing == {file for file, shared in TOGETHER.items() if shared == "service"}
