"""Count the branches that the tests take, by room: `make coverage`, a quarter of an hour.

On both databases, without browsers, faults, fuzz and simulation. Money, authentication, webhooks
and rights have a floor; each of their branches that no test takes is named. `--databases sqlite`
measures one database, `--tests tests/refunds` some tests, `--add` beside what was measured before.

It is also the plugin that the measured processes load, by `-p tests.branches`.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from coverage import Coverage

from tests.run import BYTECODE, Step, Tally, run, say
from tests.source_tree import ROOMS, ROOT

DATABASES = ("sqlite", "postgres")
MARKS = "not browser and not faults and not fuzz and not night"
# It takes no branch that no test names, and runs into its time limit where each line is traced.
PLAYED = "tests/simulation"
FLOOR_PERCENT = 95
# The paths that begin so have a floor. A file may be in two.
FLOORED = {
    "money": ("ledger/", "payments/", "refunds/", "payouts/", "funding/", "links/", "core/money",
        "core/idempotency", "backoffice/services/"),
    "auth": ("merchants/", "customers/", "core/attempt_limits", "backoffice/lockout",
        "backoffice/password", "backoffice/authenticators", "backoffice/known_browsers",
        "backoffice/services/two_factor", "backoffice/services/staff_passkeys"),
    "webhooks": ("webhooks/", "outbound/"),
    "rights": ("merchants/access", "merchants/scoping", "backoffice/roles", "backoffice/staff",
        "backoffice/middleware", "backoffice/services/", "config/staff_access"),
}  # fmt: skip
DATA, REPORT = ROOT / "var/coverage/data", ROOT / "var/coverage/report.json"


@dataclass
class Branches:
    """How many there are, how many the tests take, and where the missing ones are."""

    total: int = 0
    covered: int = 0
    missing: list[str] = field(default_factory=list)

    @property
    def percent(self) -> float:
        return 100 * self.covered / self.total if self.total else 100.0

    @property
    def is_above_floor(self) -> bool:
        return self.percent >= FLOOR_PERCENT

    def __add__(self, other: "Branches") -> "Branches":
        return Branches(
            self.total + other.total,
            self.covered + other.covered,
            self.missing + other.missing,
        )

    def __str__(self) -> str:
        return f"{self.percent:5.1f} % of {self.total}"


def measure(databases: Iterable[str], tests: list[str], *, add: bool) -> bool:
    """Run the tests; return whether all passed."""
    if not add:
        subprocess.run([sys.executable, "-m", "coverage", "erase"], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "2"]
    command += ["-p", "tests.branches"]
    command += ["-m", MARKS, "--ignore", PLAYED, *tests]
    steps = [
        Step(f"tests on {database}", command, BYTECODE | {"TEST_DATABASE": database})
        for database in databases
    ]
    went_well = [run(step, Tally()) for step in steps]  # each of them, whatever fails
    return all(went_well)


def pytest_sessionfinish() -> None:
    """Save what a process has measured; one that then takes long to end is killed by xdist."""
    if measuring := Coverage.current():
        measuring.stop()
        measuring.save()


def count() -> dict[str, Branches]:
    """Return what was measured of each file."""
    coverage = [sys.executable, "-m", "coverage"]
    if any(DATA.parent.glob(f"{DATA.name}.*")):  # from processes; none if all are combined already
        subprocess.run([*coverage, "combine", "--append", "--quiet"], cwd=ROOT, check=True)
    # Without the clones in which tests start the service: they are gone by now.
    here = ["--include", f"{ROOT}/*"]
    subprocess.run([*coverage, "json", "--quiet", *here, "-o", str(REPORT)], cwd=ROOT, check=True)
    files = json.loads(REPORT.read_text())["files"]
    return {name: _read(name, found) for name, found in sorted(files.items())}


def _read(name: str, found: dict[str, Any]) -> Branches:
    missing = [f"{name}:{line} to {after}" for line, after in found["missing_branches"]]
    summary = found["summary"]
    return Branches(summary["num_branches"], summary["covered_branches"], missing)


def report(files: dict[str, Branches]) -> None:
    """Print the share of each room, and of what has a floor, after the branches it misses."""
    for room in ROOMS:
        say(f"{room:12} {of(files, (f'{room}/',))}")
    for name, paths in FLOORED.items():
        found = of(files, paths)
        say("\n".join(["", *found.missing]))
        say(f"{name:12} {found}")


def keeps_floors(files: dict[str, Branches]) -> bool:
    return all(of(files, paths).is_above_floor for paths in FLOORED.values())


def of(files: dict[str, Branches], paths: tuple[str, ...]) -> Branches:
    return sum((found for name, found in files.items() if name.startswith(paths)), Branches())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--tests", nargs="+", default=[], help="some of them")
    parser.add_argument("--add", action="store_true", help="beside what was measured before")
    options = parser.parse_args()
    passed = measure(options.databases, options.tests, add=options.add)
    files = count()
    report(files)
    return 0 if passed and keeps_floors(files) else 1


if __name__ == "__main__":
    sys.exit(main())
