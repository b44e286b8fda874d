"""Check everything: `make test`, or with `--fast` what is quick. The last line is the sum."""

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.postgres import PostgresMissing, programs

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
QUICK = "not slow and not browser and not faults and not fuzz"


@dataclass(frozen=True)
class Step:
    """One command, and what it adds to the environment."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)


def checks() -> list[Step]:
    """Return what needs no database."""
    manage = [sys.executable, "manage.py"]
    return [
        Step("format", [f"{BIN}/ruff", "format", "--check", "--quiet", "."]),
        Step("lint", [f"{BIN}/ruff", "check", "--quiet", "."]),
        Step("layers", [f"{BIN}/lint-imports", "--no-logo"]),
        Step("types", [f"{BIN}/mypy"]),
        Step("migrations", [*manage, "makemigrations", "--check", "--dry-run"], PRODUCTION),
        Step("deployment", [*manage, "check", "--deploy", "--fail-level", "WARNING"], PRODUCTION),
    ]


PRODUCTION = {
    "DEVELOPMENT_FILE": "",
    "DATABASE_URL": "sqlite://:memory:",
    "BASE_URL": "https://pay.example.com",
    "CHECKOUT_URL": "https://pay.example.com",
    "EMAIL_URL": "smtp+tls://mail.example.com:587",
    "ENCRYPTION_KEY": "dGVzdHMgbmVlZCAzMiBieXRlcyBvZiBrZXkgaGVyZSE=",
    "PIN_PEPPER": "the pepper of the checks, thirty-two bytes or more",
    "SECRET_KEY": "the secret key of the checks, fifty characters or more of it",
    "SMS_URL": "https://gateway.example.com/send",
    "TRUSTED_PROXIES": "1",
}


def suite(database: str, *options: str) -> Step:
    """Return the tests on one database."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--durations", "10", *options]
    return Step(f"tests on {database}", command, {"TEST_DATABASE": database} | _bytecode())


def _bytecode() -> dict[str, str]:
    """Keep compiled modules in var/ where the environment wants none beside the sources.

    Each process would compile hundreds of modules anew, and rewrite the assertions of the tests.
    """
    if not sys.dont_write_bytecode:
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(ROOT / "var/pycache")}


def run(step: Step, totals: dict[str, int]) -> bool:
    """Run a step, print its output if it is of interest, and add to the totals."""
    began = time.monotonic()
    done = subprocess.run(
        step.command,
        cwd=ROOT,
        env=os.environ | step.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    well = done.returncode == 0
    say(f"{'ok' if well else 'FAILED':6} {step.name} ({time.monotonic() - began:.1f} s)")
    if not well or "pytest" in step.command:
        say(done.stdout.rstrip())
    counted = COUNTS.findall(done.stdout.rstrip().rsplit("\n", 1)[-1])
    for number, kind in counted or [("1", "passed" if well else "failed")]:
        totals[kind.removesuffix("s") if kind == "errors" else kind] += int(number)
    return well


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def steps(*, fast: bool) -> list[Step]:
    """Return what is to be run on this machine; say what it lacks."""
    if fast:
        return [suite("sqlite", "-m", QUICK)]
    chosen = [*checks(), suite("sqlite")]
    try:
        programs()
    except PostgresMissing as missing:
        if os.environ.get("CI"):
            raise
        say(f"Without the tests on PostgreSQL: {missing}")
        return chosen
    return [*chosen, suite("postgres")]


def main() -> int:
    """Run all the steps, whatever fails; return 1 if one did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="only the quick tests, on SQLite")
    arguments = parser.parse_args()
    totals = {"passed": 0, "failed": 0, "error": 0, "skipped": 0}
    went_well = [run(step, totals) for step in steps(fast=arguments.fast)]
    failed = totals["failed"] + totals["error"]
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    say(f"{totals['passed']} passed, {failed} failed{skipped}")
    return 0 if all(went_well) else 1


if __name__ == "__main__":
    sys.exit(main())
