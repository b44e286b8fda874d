"""What the count of branches can rely on."""

import os
import subprocess
import sys
from pathlib import Path

from coverage import CoverageData

from tests.source_tree import ROOT

KILLED = """\
import os, signal

def pytest_unconfigure() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_measured_survives_a_process_killed_while_it_ends(tmp_path: Path) -> None:
    """As xdist does with a worker that takes ten seconds to end, on a machine that is busy."""
    (tmp_path / "conftest.py").write_text(KILLED)
    (tmp_path / "test_any.py").write_text("def test_it() -> None:\n    assert True\n")
    data = tmp_path / "data"
    measure = ["-m", "coverage", "run", f"--data-file={data}", "--rcfile=/dev/null", "-m"]
    tests = ["pytest", "-q", "-p", "tests.branches"]
    without_plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they would be measured as well

    subprocess.run(
        [sys.executable, *measure, *tests, "-c", "/dev/null", f"--rootdir={tmp_path}", tmp_path],
        cwd=ROOT, env=os.environ | without_plugins, stdout=subprocess.DEVNULL, check=False,
    )  # fmt: skip

    [saved] = tmp_path.glob("data*")
    measured = CoverageData(str(saved))
    measured.read()
    assert str(tmp_path / "test_any.py") in measured.measured_files()
