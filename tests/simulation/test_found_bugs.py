"""The table of the bugs that the simulation finds names each of them, and the seed that is tried"""

import re

from tests.clone import ROOT
from tests.simulation.removed_fixes import FOUND_BY_SEED, REMOVED

ROW = re.compile(r"^\| ([^|]+) \| ([1-5]) \| \d+ \|", re.MULTILINE)


def test_each_bug_has_its_row() -> None:
    rows = ROW.findall((ROOT / "docs/contributing.md").read_text())

    assert {bug: int(seed) for bug, seed in rows} == FOUND_BY_SEED
    assert [bug for bug, _ in rows] == list(REMOVED)
