"""Mutation scores of money, auth, webhooks and rights: `make mutants SEED=7` draws the mutants.

Rights include what staff do by them. Each group's mutants run against the quick tests of the rooms
that use its files. Those accepted in `tests/mutants.txt` do not count. What a run learns about the
tests is kept for the next one, in `var/mutants`.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.reach import distances
from tests.source_tree import ROOT, SERVICE

FLOOR_PERCENT = 97
# Documentation, metrics and shell commands belong to none of these.
EXCLUDED = re.compile(r"(openapi|reference|samples|metrics)\.py$|/(management|cli)/")
KEPT = ROOT / "var/mutants"
RESULT = re.compile(
    r"(?P<caught>\d+) of (?P<planted>\d+) planted mistakes caught, (?P<survived>\d+) survived, "
    r"(?P<not_run>\d+) not run; (?P<accepted>\d+) more"
)


class Group(NamedTuple):
    """The files that a pattern matches, unless an earlier group has them, and their tests.

    With `importers`, test files of other rooms that import one of the files count as well.
    """

    files: str
    tests: tuple[str, ...]
    importers: bool = False


GROUPS = {
    "rights": Group(
        r"merchants/(access|scoping|callers?\w*|viewsets)|config/staff_access"
        r"|backoffice/(roles|staff|middleware|authenticators|lockout|password\w*|known_browsers)\."
        r"|backoffice/services/(instruction\w*|independence|decisions|accounts)\."
        r"|backoffice/services/(staff_mail|two_factor|staff_passkeys)\.",
        ("backoffice", "merchants"),
    ),
    "staff": Group(
        r"backoffice/(actions|services/)|backoffice/admin/(\w+_actions|ending_keys|made_with_keys)\.",
        ("backoffice",),
    ),
    "keys": Group(r"merchants/|core/(attempt_limits|signed_tokens)", ("merchants", "core")),
    "customers": Group("customers/", ("customers", "checkout")),
    "ledger": Group(
        r"ledger/|core/(hash_chain|merkle|signed_notes|log_receipts|signatures)",
        (
            "ledger", "core", "test_tamperings.py", "payouts/test_ledger_proof.py",
            "payouts/test_account_statements.py", "payouts/test_account_signatures.py",
            "payouts/test_reconciliation.py", "refunds/test_reconciliation.py",
            "webhooks/test_retention.py", "webhooks/test_checkpoint_header.py",
        ),
    ),
    "payments": Group(
        r"payments/|core/(idempotency|writing|money|amounts|retries)|config/databases\."
        r"|sandbox/(time_travel|simulating|views)\.",
        (
            "payments", "core", "checkout", "config/test_databases.py", "links/test_payments.py",
            "merchants/test_register_once.py", "sandbox/test_time_travel.py",
            "sandbox/test_simulate.py", "links/test_reconciliation.py",
            "refunds/test_reconciliation.py",
        ),
    ),
    "refunds": Group("refunds/", ("refunds",), importers=True),
    "funding": Group("funding/", ("funding",), importers=True),
    "payouts": Group("payouts/", ("payouts",), importers=True),
    "webhooks": Group("webhooks/|outbound/", ("webhooks", "outbound")),
}  # fmt: skip


class Counts(NamedTuple):
    """How many mutants of a group were run, with what result. Accepted ones come on top."""

    planted: int = 0
    caught: int = 0
    survived: int = 0
    not_run: int = 0
    accepted: int = 0

    @property
    def percent(self) -> float:
        return 100 * self.caught / self.planted if self.planted else 0.0

    def __str__(self) -> str:
        return "".join(f"{count:9}" for count in self) + f"{self.percent:9.1f} %"


def main() -> int:
    """Run each group in turn; return 1 if too few mutants were caught in all, or any not run."""
    options, others = _options()
    counts = {group: _plant(group, [f"--seed={options.seed}", *others]) for group in options.groups}
    counts["all"] = Counts(*map(sum, zip(*counts.values(), strict=True)))
    sys.stdout.write(f"{'':10}{''.join(f'{name:>9}' for name in Counts._fields)}\n")
    for group, count in counts.items():
        sys.stdout.write(f"{group:10}{count}\n")
    return 1 if counts["all"].percent < FLOOR_PERCENT or counts["all"].not_run else 0


def files_of(group: str) -> Iterator[str]:
    """Yield the files of a group."""
    for name in (str(path.relative_to(ROOT)) for path in sorted(SERVICE)):
        found = [each for each, parts in GROUPS.items() if re.match(parts.files, name)]
        if found[:1] == [group] and not EXCLUDED.search(name):
            yield name


def importers_of(group: str) -> Iterator[str]:
    """Yield the test files that import a file of a group, where these count as its tests."""
    if not GROUPS[group].importers:
        return
    for module, distance in sorted(distances(files_of(group)).items()):
        file = module.replace(".", "/") + ".py"
        if distance == 1 and re.match(r"tests/.*/test_", file):
            yield file


def _plant(group: str, arguments: Sequence[str]) -> Counts:
    command = [sys.executable, "-u", "-m", "tests.mutants", *arguments]
    notebook = f"--notebook={KEPT / group}.json"
    tests = [f"tests/{folder}" for folder in GROUPS[group].tests]
    beside = [f"--beside={file}" for file in importers_of(group)]
    counts = Counts()
    with subprocess.Popen(
        [*command, notebook, *beside, "--files", *files_of(group), "--tests", *tests],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            if found := RESULT.search(line):
                counts = Counts(*(int(found[name]) for name in Counts._fields))
    return counts


def _options() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, epilog="Others as `tests.mutants` has.")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--groups", nargs="*", choices=GROUPS, default=list(GROUPS))
    options, others = parser.parse_known_args()
    return options, ["--most=35", *others]


if __name__ == "__main__":
    sys.exit(main())
