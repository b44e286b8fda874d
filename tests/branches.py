"""Count the branches that the tests take, by room: `make coverage`, a quarter of an hour.

On both databases, without browsers, faults and fuzz. What handles money, who is let in, webhooks,
and who may do what, has a share that it is held to; each branch of these that no test takes is
named. `--databases sqlite` measures one, `--tests tests/refunds` some, `--add` beside what
was measured before.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.run import BYTECODE, Step, run, say
from tests.source_tree import ROOMS, ROOT

DATABASES = ("sqlite", "postgres")
MARKS = "not browser and not faults and not fuzz"
WANTED_PERCENT = 95
# The paths that begin so. A file may be in two.
HELD = {
    "money": ("ledger/", "payments/", "refunds/", "payouts/", "funding/", "links/", "core/money",
        "core/idempotency", "backoffice/services/"),
    "auth": ("merchants/", "customers/", "core/attempt_limits", "backoffice/lockout",
        "backoffice/password", "backoffice/authenticators", "backoffice/known_browsers",
        "backoffice/services/two_factor", "backoffice/services/staff_passkeys"),
    "webhooks": ("webhooks/", "outbound/"),
    "rights": ("merchants/access", "merchants/scoping", "backoffice/roles", "backoffice/staff",
        "backoffice/middleware", "backoffice/services/", "config/staff_access"),
}  # fmt: skip
REPORT = ROOT / "var/coverage/report.json"


@dataclass
class Branches:
    """How many there are, how many were taken, and where the others are."""

    all: int = 0
    taken: int = 0
    others: list[str] = field(default_factory=list)

    @property
    def percent(self) -> float:
        return 100 * self.taken / self.all if self.all else 100.0

    def __add__(self, other: "Branches") -> "Branches":
        others = self.others + other.others
        return Branches(self.all + other.all, self.taken + other.taken, others)


def measure(databases: Iterable[str], tests: list[str], *, add: bool) -> bool:
    """Run the tests; return whether all passed."""
    if not add:
        subprocess.run([sys.executable, "-m", "coverage", "erase"], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "2"]
    command += ["-m", MARKS, *tests]
    totals: dict[str, int] = defaultdict(int)
    steps = [
        Step(f"tests on {database}", command, BYTECODE | {"TEST_DATABASE": database})
        for database in databases
    ]
    return [run(step, totals) for step in steps].count(False) == 0


def count() -> dict[str, Branches]:
    """Return what was measured of each file."""
    coverage = [sys.executable, "-m", "coverage"]
    subprocess.run([*coverage, "combine", "--append", "--quiet"], cwd=ROOT, check=False)
    subprocess.run([*coverage, "json", "--quiet", "-o", str(REPORT)], cwd=ROOT, check=True)
    files = json.loads(REPORT.read_text())["files"]
    return {name: _read(name, found) for name, found in sorted(files.items())}


def _read(name: str, found: dict[str, Any]) -> Branches:
    others = [f"{name}:{line} to {after}" for line, after in found["missing_branches"]]
    return Branches(found["summary"]["num_branches"], found["summary"]["covered_branches"], others)


def held(files: dict[str, Branches]) -> bool:
    """Print the share of each room, and of what has one to keep; return whether it does."""
    for room in ROOMS:
        found = of(files, (f"{room}/",))
        say(f"{room:12} {found.percent:5.1f} % of {found.all}")
    well = True
    for what, paths in HELD.items():
        found = of(files, paths)
        say("\n".join(["", *found.others]))
        say(f"{what:12} {found.percent:5.1f} % of {found.all}")
        well &= found.percent >= WANTED_PERCENT
    return well


def of(files: dict[str, Branches], paths: tuple[str, ...]) -> Branches:
    return sum((found for name, found in files.items() if name.startswith(paths)), Branches())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--tests", nargs="+", default=[], help="some of them")
    parser.add_argument("--add", action="store_true", help="beside what was measured before")
    options = parser.parse_args()
    passed = measure(options.databases, options.tests, add=options.add)
    return 0 if held(count()) and passed else 1


if __name__ == "__main__":
    sys.exit(main())
