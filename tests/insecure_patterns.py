"""Run bandit over the service, each night; each finding must have its answer, with the reason.

An answer stands on the line itself: the `# noqa: S…` that ruff asks for under the same number, or
here, for what ruff does not look for.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.source_tree import ROOMS, ROOT

# Ruff has these three and, unlike bandit, knows that an empty text is no password.
LEFT_TO_RUFF = "B105,B106,B107"
ANSWERS = {
    ("B310", "config/local/serve.py"): "it opens one address of its own, written out with http://",
    ("B404", "config/local/packages.py"): "it starts pip, on our own list",
    ("B404", "config/local/processes.py"): "it starts this service's own programs",
    ("B404", "config/local/serve.py"): "it starts this service's own programs",
    ("B404", "config/management/commands/configure.py"): "it starts a command of this service",
    ("B603", "config/management/commands/configure.py"): "a list of words of ours, and no shell",
    ("B405", "payouts/bank/bank_names.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/booked_entry.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/camt.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/charges.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/storage.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/pain002.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/reports.py"): "only the type of what `safe_xml` has parsed",
    ("B405", "payouts/bank/safe_xml.py"): "it refuses document types and entities before any tree",
    ("B405", "payouts/pain001.py"): "it writes XML and reads none",
    ("B608", "core/migrations/0008_counts_by_day.py"): "names of our own columns, and no value",
    ("B608", "core/migrations/0009_list_totals.py"): "names of our own columns, and no value",
    ("B608", "core/recounting.py"): "names of our own tables and columns, and no value",
    ("B703", "checkout/page_templates.py"): "a name of the template, and no value",
    ("B406", "checkout/shapes.py"): "`escape` writes text and parses nothing",
}


def findings() -> list[dict[str, Any]]:
    """Return what bandit finds."""
    folders = [str(ROOT / room) for room in sorted(ROOMS)]
    command = [sys.executable, "-m", "bandit", "-q", "-r", "-f", "json", "-s", LEFT_TO_RUFF]
    done = subprocess.run([*command, *folders], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(done.stderr)
    found: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return found


def is_answered(finding: dict[str, Any]) -> bool:
    """Return whether a reason for a finding is written down."""
    path = Path(finding["filename"])
    if (finding["test_id"], str(path.relative_to(ROOT))) in ANSWERS:
        return True
    lines = path.read_text().splitlines()
    first, last = finding["line_range"][0] - 1, finding["line_range"][-1]
    code = finding["test_id"].replace("B", "S")
    return any(re.search(rf"# noqa: .*\b{code}\b", line) for line in lines[first : last + 1])


def main() -> int:
    """Print the findings without an answer; return 1 if there are any."""
    open_ones = [finding for finding in findings() if not is_answered(finding)]
    for finding in open_ones:
        sys.stdout.write(
            f"{finding['filename']}:{finding['line_number']}: {finding['test_id']}"
            f" {finding['issue_text']}\n"
        )
    return 1 if open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
