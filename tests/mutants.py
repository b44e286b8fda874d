"""Plant mistakes in changed lines, one at a time, and name those that no test notices.

It takes the lines changed since main (`--base` another revision), or whole `--files`, and the
quick tests that these reach (`tests/reach.py`), on SQLite. A mistake that survives needs a test,
or a line with the reason in `tests/mutants.txt`.
"""

import argparse
import importlib.abc
import importlib.machinery
import importlib.util
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from itertools import chain
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from tests.learning import ROOT, Notebook, file_of, module_of
from tests.mutations import Mutant, mutants_of
from tests.planting import DECLARED, NO_TESTS, NOT_RUN, SURVIVED, Planting
from tests.reach import left_main, reach
from tests.source_tree import PLANTED

ACCEPTED = ROOT / "tests/mutants.txt"
HUNG_SECONDS = 900
# On a busy machine a test may take many times what it needs.
PYTEST = [
    *("-q", "-s", "--no-header", "-p", "no:randomly"),
    *("-o", f"faulthandler_timeout={HUNG_SECONDS}"),
]
QUICK = ["-p", "tests.timing", "--quick"]
NOT_THE_SERVICE = re.compile(r"(^|/)(tests|bench|migrations)/|^manage\.py$")


def changed_lines(base: str) -> dict[str, set[int]]:
    """Return the lines of the service that differ from a revision, by file."""
    lines: dict[str, set[int]] = defaultdict(set)
    file = ""
    for line in _git("diff", "-U0", "--no-color", base, "--", "*.py").splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ ").removeprefix("b/")
        elif found := re.match(r"@@ \S+ \+(\d+)(?:,(\d+))? @@", line):
            lines[file] |= set(range(int(found[1]), int(found[1]) + int(found[2] or 1)))
    for new in _git("ls-files", "--others", "--exclude-standard", "--", "*.py").splitlines():
        lines[new] = set(range(1, 10_000))
    return {  # without /dev/null, as which a removed file has no lines
        file: found for file, found in lines.items() if found and not NOT_THE_SERVICE.search(file)
    }


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, text=True, check=True).stdout


def accepted() -> dict[str, str]:
    """Return the accepted survivors, each with its reason."""
    rows = ACCEPTED.read_text().splitlines() if ACCEPTED.exists() else []
    split = (row.partition(" | ") for row in rows if row and not row.startswith("#"))
    return {key: reason for key, _, reason in split}


class Verdict:
    """Counts what became of the mutants, and prints who survived."""

    def __init__(self, *, verbose: bool) -> None:
        self.verbose = verbose
        self.reasons = accepted()
        self.counts: Counter[str] = Counter()

    def __call__(self, mutant: Mutant, status: int, killer: str) -> None:
        reason = self.reasons.get(mutant.key)
        if status in NOT_RUN:
            self._say("NOT RUN", f"line {mutant.line} {mutant.key}: ended with {status}\n{killer}")
        elif status not in (SURVIVED, NO_TESTS):
            self._say("caught", f"{mutant.key} | {killer or f'ended with {status}'}")
        elif reason:
            self._say("accepted", f"{mutant.key} | {reason}")
        else:
            untested = " (no test calls it)" if status == NO_TESTS else ""
            self._say("SURVIVED", f"line {mutant.line}{untested} {mutant.key}")

    def _say(self, outcome: str, text: str) -> None:
        self.counts[outcome] += 1
        if self.verbose or outcome in ("SURVIVED", "NOT RUN"):
            sys.stdout.write(f"{outcome:9} {text}\n")
            sys.stdout.flush()


def plant(mutant: Mutant) -> None:
    """Let this process import a mutant in place of its file, and rules read it."""
    path = str(ROOT / mutant.file)
    PLANTED[ROOT / mutant.file] = mutant.planted()

    class Loader(importlib.machinery.SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            return mutant.compiled(path)

    class Finder(importlib.abc.MetaPathFinder):
        def find_spec(
            self, fullname: str, path_: object, target: ModuleType | None = None
        ) -> ModuleSpec | None:
            if fullname != module_of(mutant.file):
                return None
            return importlib.util.spec_from_file_location(
                fullname, path, loader=Loader(fullname, path)
            )

    sys.meta_path.insert(0, Finder())


class Chosen:
    """Runs the chosen tests of their files, and keeps the name of what failed.

    Where a mistake has renamed or removed a case, it runs all cases that its test has now.
    """

    def __init__(self, tests: Sequence[str], out: Path) -> None:
        self.order = {name: number for number, name in enumerate(tests)}
        self.out = out

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        gone = self.order.keys() - {item.nodeid for item in items}
        renamed = {name.partition("[")[0] for name in gone}
        items[:] = sorted(
            (
                it
                for it in items
                if it.nodeid in self.order or it.nodeid.partition("[")[0] in renamed
            ),
            key=lambda item: self.order.get(item.nodeid, len(self.order)),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def _note(self, report: pytest.CollectReport | pytest.TestReport) -> None:
        if report.failed and report.nodeid:
            self.out.write_text(report.nodeid)


def main() -> int:
    """Plant the mutants; return 1 if one survived that is not accepted."""
    options = _options()
    if options.plant:
        file, number = options.plant.rsplit(":", 1)
        plant(_mutants(file)[int(number)])
        files = dict.fromkeys(map(file_of, options.tests))
        chosen = Chosen(options.tests, options.out)
        # Or pytest would import a mutant whose name begins with `test_` itself, from its file.
        return pytest.main([*PYTEST, "--assert=plain", "-x", *files], plugins=[chosen])
    lines = (
        dict.fromkeys(options.files)
        if options.files
        else changed_lines(options.base or left_main())
    )
    mutants = [
        mutant
        for file, chosen in lines.items()
        for mutant in _mutants(file)
        if (chosen is None or mutant.line in chosen)
        and any(text in mutant.key for text in options.only)
    ]
    chosen_ones = random.Random(options.seed).sample(mutants, min(options.most, len(mutants)))
    if not chosen_ones:
        return 0
    quick = reach(lines, seconds=options.tests_seconds).reached
    declared = [of for of in sorted({*chain(*DECLARED.values())}) if (ROOT / of).exists()]
    tests = [*(options.tests or quick), *options.beside, *declared]
    whole = [f"--whole={file}" for file in options.tests or [] if file.endswith(".py")]
    verdict = Verdict(verbose=options.verbose)
    notebook = Notebook(options.notebook, list(lines))
    planting = Planting(chosen_ones, notebook, options.processes, options.seconds, verdict)
    pytest.main([*PYTEST, *QUICK, *whole, *tests], plugins=[planting])
    counts = verdict.counts
    sys.stdout.write(
        f"{counts['caught']} of {counts.total() - counts['accepted']} planted mistakes caught, "
        f"{counts['SURVIVED']} survived, {counts['NOT RUN']} not run; {counts['accepted']} more "
        f"accepted (of {len(mutants)}; --seed {options.seed})\n"
    )
    return 1 if counts["SURVIVED"] or counts["NOT RUN"] or not counts else 0


def _mutants(file: str) -> list[Mutant]:
    return mutants_of(file, (ROOT / file).read_text())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--base", help="the revision to compare with, instead of where the branch left main")
    add("--files", nargs="*", help="whole files, instead of changed lines")
    add(
        "--tests",
        nargs="*",
        help="tests instead of those that the files reach; a file runs whole",
    )
    add("--beside", action="append", default=[], help="more tests, of which the quick ones run")
    add("--only", nargs="*", default=[""], help="mistakes whose line contains one of these texts")
    add("--most", type=int, default=200, help="so many mistakes, chosen by the seed")
    add("--seed", type=int, default=random.randrange(10**6))
    add("--processes", type=int, default=2)
    add("--seconds", type=float, default=20, help="of tests per mistake, nearest first")
    add("--tests-seconds", type=float, default=300, help="of tests in all")
    add("--notebook", type=Path, help="where to keep what is learned of the tests, for another run")
    add("--verbose", action="store_true", help="print what was caught, and by which test")
    add("--plant", help=argparse.SUPPRESS)
    add("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
