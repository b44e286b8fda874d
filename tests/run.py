"""Check what a day needs; `--fast` what is quick, `--check` what changed.

`--night` is what a day leaves out, and chance for hours. The tests on PostgreSQL run beside all
else. The last line is the sum; before it stands what failed.
"""

import argparse
import os
import random
import re
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.nights import BY_DAY, BY_NIGHT, WITHOUT_POSTGRESQL
from tests.postgres import PostgresMissing, programs
from tests.reach import ROOT, changes, reach

BIN = Path(sys.executable).parent
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)")
FAILURE = re.compile(r"(FAILED|ERROR) \S")
# After so long, what there is of a line is shown.
LINE_SECONDS = 10
# What `--check` always runs, and how many seconds of other tests fit into its half a minute.
ALWAYS = ["tests/test_house.py", "tests/test_docs.py", "tests/backoffice/test_permissions.py"]
CHECK_SECONDS = 20.0
# How many cases of each test `--fast` draws: others each time, all of them in `make test`.
DRAWN = "3"
# How many seconds of tests fit into its minute, on two cores; a run before must have timed them.
FAST_SECONDS = "70"
# What is drawn by chance goes on for longer by night; the tests say what each of these is. One
# that is set already stays: a night can be as short as a minute.
NIGHT = {
    "FUZZ_EXAMPLES": "600",
    "MACHINE_RUNS": "2000",
    "MACHINE_STEPS": "50",
    "SIMULATION_STEPS": "50000",
}
LONG = (
    "tests/core/test_fuzz.py::test_every_operation",
    "tests/ledger/test_machine.py::test_many_long_sequences",
    "tests/simulation/test_weeks.py::test_no_cent_is_lost_doubled_or_stuck",
)
SEED = os.environ.get("SEED") or str(random.randrange(10**6))


@dataclass(frozen=True)
class Step:
    """One command, and what it adds to the environment."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)


def checks() -> list[Step]:
    """Return what needs no database and takes seconds."""
    manage = [sys.executable, "manage.py"]
    return [
        Step("format", [f"{BIN}/ruff", "format", "--check", "--quiet", "."]),
        Step("lint", [f"{BIN}/ruff", "check", "--quiet", "."]),
        Step("layers", [f"{BIN}/lint-imports", "--no-logo"]),
        Step("migrations", [*manage, "makemigrations", "--check", "--dry-run"], PRODUCTION),
    ]


def thorough_checks() -> list[Step]:
    """Return those that take longer."""
    deploy = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    return [
        TYPES,
        Step("deployment", deploy, PRODUCTION),
    ]


# Compiled modules are kept, also where the environment wants none: beside the sources, where those
# of the installed packages are already.
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}
TYPES = Step("types", [f"{BIN}/mypy"])
# By day Ruff looks for most of the same, in a moment.
PATTERNS = Step("insecure patterns", [sys.executable, "-m", "tests.insecure_patterns"])
PRODUCTION = {
    "DEVELOPMENT_FILE": "",
    "DATABASE_URL": "sqlite://:memory:",
    "BASE_URL": "https://pay.example.com",
    "BOUND_SECRETS_ONLY": "true",
    "CHECKOUT_URL": "https://pay.example.com",
    "EMAIL_URL": "smtp+tls://mail.example.com:587",
    "CHECKPOINT_KEY": "PRIVATE+KEY+testserver/ledger+63086570"
    "+AXRoZSBzZWVkIG9mIHRoZSB0ZXN0czogMzIgYnl0ZXMh",
    "ENCRYPTION_KEY": "dGVzdHMgbmVlZCAzMiBieXRlcyBvZiBrZXkgaGVyZSE=",
    "LEDGER_KEY": "dGhlIHRlc3RzIG5lZWQgYSBrZXkgdGhhdCBzaWducyE=",
    "PIN_PEPPER": "the pepper of the checks, thirty-two bytes or more",
    "SECRET_KEY": "the secret key of the checks, fifty characters or more of it",
    "SMS_URL": "https://gateway.example.com/send",
    "TRUSTED_PROXIES": "1",
}


@dataclass
class Tally:
    """How many tests passed, and the lines that name what did not."""

    totals: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def suite(database: str, *options: str, workers: int = 2, niceness: int = 0) -> Step:
    """Return the tests on one database."""
    command = ["nice", "-n", str(niceness)] if niceness else []
    command += [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--durations", "10"]
    # A test that takes too long ends its process. One that is started in its place would try the
    # same test again: the run is to end instead.
    command += ["--max-worker-restart", "0"]
    command += ["-p", "tests.timing", f"--randomly-seed={SEED}", *options]
    return Step(f"tests on {database}", command, {"TEST_DATABASE": database} | BYTECODE)


def run(step: Step, tally: Tally, before: str = "") -> bool:
    """Run a step, print its lines as they come, each after `before`, and add to the tally."""
    began = time.monotonic()
    process = subprocess.Popen(
        step.command,
        cwd=ROOT,
        env=os.environ | step.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout
    last = ""
    for line in _lines(process.stdout.fileno()):
        say(before + line)
        last = line or last
        tally.failures += [line] if FAILURE.match(line) else []
    well = process.wait() == 0
    result = f"{'ok' if well else 'FAILED':6} {step.name}"
    tally.failures += [] if well else [result]
    say(f"{result} ({time.monotonic() - began:.1f} s)")
    for number, kind in COUNTS.findall(last) or [("1", "passed" if well else "failed")]:
        tally.totals[kind.removesuffix("s") if kind == "errors" else kind] += int(number)
    return well


def _lines(pipe: int) -> Iterator[str]:
    """Yield the lines of a pipe as they come; of one that takes long, what there is by then."""
    rest = b""
    while True:
        waits = bool(select.select([pipe], [], [], LINE_SECONDS if rest else None)[0])
        chunk = os.read(pipe, 65_536) if waits else b"\n"
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line.decode(errors="replace") for line in lines)
    if rest:
        yield rest.decode(errors="replace")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def side_by_side(chosen: Iterable[Step]) -> list[list[Step]]:
    """Return what runs at the same time: the tests on PostgreSQL, and the rest in its order.

    Those of browsers and services wait much of their time: the others have the processors then.
    """
    chosen = list(chosen)
    first = [step for step in chosen if step.environment.get("TEST_DATABASE") == "postgres"]
    return [lane for lane in (first, [step for step in chosen if step not in first]) if lane]


def run_all(lanes: list[list[Step]]) -> Tally:
    """Run all the steps, whatever fails."""

    def run_one_by_one(steps: list[Step]) -> Tally:
        tally = Tally()
        for step in steps:
            run(step, tally, f"{step.name}: " if len(lanes) > 1 else "")
        return tally

    with ThreadPoolExecutor(len(lanes)) as pool:
        tallies = list(pool.map(run_one_by_one, lanes))
    totals = sum((tally.totals for tally in tallies), Counter())
    return Tally(totals, [line for tally in tallies for line in tally.failures])


def check_steps() -> list[Step]:
    """Return what a change needs before it is committed; say what has to wait for `make test`."""
    files = changes()
    found = reach(files, seconds=CHECK_SECONDS)
    say(f"{len(files)} files changed; they reach {len(found.reached)} other files of tests.")
    if found.left_out:
        say(f"Left out, for want of time: {' '.join(found.left_out)}")
    whole = sorted({*ALWAYS, *found.changed})
    options = [f"--whole={file}" for file in whole]
    types = [TYPES] if (ROOT / ".mypy_cache").exists() else []
    return [*checks(), *types, suite("sqlite", "--quick", *options, *whole, *found.reached)]


def steps(*, fast: bool) -> list[Step]:
    """Return what is to be run on this machine; say what it lacks."""
    if fast:
        return [suite("sqlite", "--quick", f"--draw={DRAWN}", f"--seconds={FAST_SECONDS}")]
    chosen = [*checks(), *thorough_checks()]
    try:
        programs()
    except PostgresMissing as missing:
        if os.environ.get("CI"):
            raise
        say(f"Without the tests on PostgreSQL: {missing}")
        return [*chosen, suite("sqlite", "-m", WITHOUT_POSTGRESQL)]
    # The run on PostgreSQL is one process, and the longest: it has a processor when it wants one.
    return [
        *chosen,
        suite("sqlite", "-m", BY_DAY["sqlite"], workers=4, niceness=5),
        suite("postgres", "-m", BY_DAY["postgres"], workers=0),
    ]


def night_steps() -> list[Step]:
    """Return what the day leaves out, and what is drawn by chance, for hours, on both databases.

    SEED replays it.
    """
    lengths = {name: os.environ.get(name, length) for name, length in NIGHT.items()}
    chance = lengths | {"FUZZ_SEED": SEED, "MACHINE_SEED": SEED, "SIMULATION_SEED": SEED}
    return [
        PATTERNS,
        *(suite(database, "-m", marked) for database, marked in BY_NIGHT.items()),
        *(
            replace(step, environment=step.environment | chance)
            for step in (suite(database, *LONG) for database in BY_NIGHT)
        ),
    ]


def main() -> int:
    """Run all the steps, whatever fails; return 1 if one did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="only the quick tests, on SQLite")
    parser.add_argument("--check", action="store_true", help="what the changes reach, on SQLite")
    parser.add_argument("--night", action="store_true", help="what the day leaves out, for hours")
    arguments = parser.parse_args()
    if arguments.night:
        lanes = [night_steps()]
    else:
        lanes = side_by_side(check_steps() if arguments.check else steps(fast=arguments.fast))
    say(f"The order of the tests is that of SEED={SEED}.")
    return conclude(run_all(lanes), target=_target(arguments))


def _target(arguments: argparse.Namespace) -> str:
    """Return what was asked for, in the words of `make`."""
    chosen = {"test-fast": arguments.fast, "check": arguments.check, "night": arguments.night}
    return next((name for name, is_chosen in chosen.items() if is_chosen), "test")


def conclude(tally: Tally, *, target: str) -> int:
    """Print what failed, how to play it again, and the sum; return 1 if something failed."""
    for line in tally.failures:
        say(line)
    if tally.failures:
        say(f"To play it again: SEED={SEED} make {target}")
    totals = tally.totals
    failed = totals["failed"] + totals["error"]
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    say(f"{totals['passed']} passed, {failed} failed{skipped}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
