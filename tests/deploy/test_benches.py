"""The benches that fill a database of their own still work, with few payments.

What they print is no figure worth keeping; by how much things grow is measured by hand.
"""

import subprocess
import sys

import pytest

from tests.source_tree import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sqlite,
    pytest.mark.night("only who measures needs them, and each takes a minute"),
]


@pytest.mark.parametrize(
    ("bench", "options", "told"),
    [
        ("growth", ["--sizes", "1000,2000", "--shape", "one"], "staff: search for nothing"),
        ("hot", ["--seconds", "1", "--rounds", "1", "--clients", "2"], "sealing: "),
    ],
)
def test_it_comes_to_its_last_line(bench: str, options: list[str], told: str) -> None:
    command = [sys.executable, "-m", f"bench.{bench}", *options]

    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert told in ended.stdout, ended.stderr
