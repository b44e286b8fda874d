"""A pytest plugin that runs the collected tests not once, but against each of many mutants.

The tests run once to learn which functions each calls, unless an earlier run has kept that. Then a
process is forked per mutant: it swaps the code of the function and runs the tests that call it, up
to the first failure. A mutant of what runs at import needs a process from scratch.
"""

import builtins
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.forks import FAILED, Work, in_processes
from tests.learning import (
    NOTE_CALL,
    ROOT,
    Function,
    Learned,
    Notebook,
    caches_of,
    file_of,
    functions_of,
    module_of,
    that_notes_calls,
)  # fmt: skip
from tests.mutations import Mutant
from tests.reach import FAR, distances
from tests.source_tree import PLANTED, SERVICE

TESTS_OF_TABLES = "tests/config/test_migrations.py"
TESTS_OF_THE_CONTRACT = "tests/config/test_contract.py"
TESTS_OF_LIMITS = "tests/config/test_limits.py"
TESTS_OF_TRANSACTIONS = "tests/config/test_transactions.py"
TABLES = (
    *("models", "_rows.", "/constraints.", "/indexes."),
    *("backoffice/authenticators.", "core/signatures.", "customers/account_changes."),
)
DECLARED = {
    **dict.fromkeys(TABLES, (TESTS_OF_TABLES,)),
    **dict.fromkeys(
        ("serializers", "views", "filters", "urls", "/events."), (TESTS_OF_THE_CONTRACT,)
    ),
    "": (TESTS_OF_LIMITS, TESTS_OF_TRANSACTIONS),
}
EMPTYING = {"transactional_db", "live_server"}
SURVIVED, CAUGHT, NO_TESTS = 0, 1, 100
# What pytest ends with that neither ran all its tests nor saw one of them fail.
NOT_RUN = {2, 3, 4, 5}
# A mutant may make a test run on; so many times what it took before, and some, is too long.
PATIENCE, GRACE_SECONDS = 4, 20


@dataclass(eq=False)  # pytest wants its plugins hashable
class Planting:
    """Passes each mutant to `judge`, with how its tests ended and which of them failed."""

    mutants: Sequence[Mutant]
    notebook: Notebook
    processes: int
    seconds: float
    judge: Callable[[Mutant, int, str], None]
    failed: str = ""
    killers: dict[Function, str] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.order = {name: number for number, name in enumerate(self.items)}
        self.files = {str(ROOT / file): file for file in self.notebook.files}
        self.functions = functions_of(self.notebook.files)
        self.near = {file: distances([file]) for file in {mutant.file for mutant in self.mutants}}
        known = {name: it for name, it in self.notebook.read().items() if name in self.items}
        self.learned = known | self._learn([name for name in self.items if name not in known])
        self.notebook.write(self.learned)
        self._attack_all(known)
        return True

    def _attack_all(self, known: Collection[str]) -> None:
        """Judge each mutant. Tests known from an earlier run may fail by now without any."""
        attacks = ((mutant, self._attack(mutant)) for mutant in self.mutants)
        caught: list[tuple[Mutant, str]] = []
        for mutant, status, killer in in_processes(attacks, self.processes):
            self.killers[mutant.file, mutant.place.function] = killer
            if killer in known:
                caught.append((mutant, killer))
            else:
                self.judge(mutant, status, killer)
        passing = self._learn(sorted({killer for _, killer in caught}))
        for mutant, killer in caught:
            self.judge(mutant, CAUGHT if killer in passing else FAILED, killer)

    def _learn(self, names: Sequence[str]) -> dict[str, Learned]:
        """Run each test once. One that fails as it is gets left out, and named."""
        parts = [names[number :: self.processes] for number in range(self.processes)]
        learned: dict[str, Learned] = {}
        jobs = ((part, self._noting(part)) for part in parts if part)
        for _, status, found in in_processes(jobs, self.processes):
            if status:
                raise ChildProcessError(found)
            for name, (seconds, calls) in json.loads(found).items():
                if seconds is None:
                    sys.stdout.write(f"left out, for it fails as it is: {name}\n")
                else:
                    learned[name] = Learned(seconds, {(file, line) for file, line in calls})
        return learned

    def _noting(self, names: Sequence[str]) -> Work:
        calls: set[Function] = set()
        found: dict[str, tuple[float | None, list[Function]]] = {}

        def note() -> None:
            code = sys._getframe(1).f_code
            calls.add((self.files[code.co_filename], code.co_firstlineno))

        def learn(out: Path) -> int:
            self._run(names[0], names[-1] if len(names) > 1 else None)  # makes the database
            setattr(builtins, NOTE_CALL, note)
            for file in self.files.values():
                for function, code in self._swaps(file, that_notes_calls(file)):
                    function.__code__ = code
            caches = caches_of({*map(str, SERVICE)})
            for name, following in _with_next(names):
                calls.clear()
                for cache in caches:  # or only the first test would be known to call it
                    cache.cache_clear()
                began, self.failed = time.process_time(), ""
                self._run(name, following)
                seconds = None if self.failed else time.process_time() - began
                found[name] = seconds, sorted(calls)
            out.write_text(json.dumps(found))
            return SURVIVED

        return learn

    def _run(self, name: str, following: str | None) -> None:
        item = self.items[name]
        after = self.items[following] if following else None
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)

    def _attack(self, mutant: Mutant) -> Work:
        """Return what looks for a test that notices a mutant."""
        tests = self._tests(mutant)
        limit = round(GRACE_SECONDS + PATIENCE * sum(self.learned[name].seconds for name in tests))
        code = mutant.compiled(str(ROOT / mutant.file))
        is_of_import = self._is_of_import(mutant) or mutant.place.name.endswith(".__init__")
        swaps = [] if is_of_import else self._swaps(mutant.file, code)

        def attack(out: Path) -> int:
            if not tests:
                return NO_TESTS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            if not swaps:
                return _from_scratch(mutant, tests, out)
            PLANTED[ROOT / mutant.file] = mutant.planted()
            for function, changed in swaps:
                function.__code__ = changed
            for name, following in _with_next(tests):
                self._run(name, following)
                if self.failed:
                    out.write_text(self.failed)
                    return CAUGHT
            return SURVIVED

        return attack

    def _tests(self, mutant: Mutant) -> list[str]:
        """Return the tests that call the mutant's function, nearest first, as far as time allows.

        What no function holds concerns the tests of its file, and then all.
        """
        own = mutant.file, mutant.place.function
        names = [name for name, test in self.learned.items() if own in test.calls]
        names.sort(key=lambda name: self._rank(name, mutant))
        if self._is_of_import(mutant):
            ranked = sorted(self.learned, key=lambda name: self._rank(name, mutant))
            names = [name for name in ranked if self._concerns(name, mutant.file)]
            if mutant.place.at_import:
                names = list(dict.fromkeys([*names, *ranked]))
        seconds = self.seconds
        chosen = self._of_declarations(mutant)
        for name in names:
            seconds -= self.learned[name].seconds
            if chosen and seconds < 0:
                break
            chosen.append(name)
        return sorted(chosen, key=self._empties)  # last: others miss what the migrations wrote

    def _is_of_import(self, mutant: Mutant) -> bool:
        """Return whether only a process from scratch meets a mutant: where no test calls it."""
        own = mutant.file, mutant.place.function
        return mutant.place.at_import or all(own not in it.calls for it in self.learned.values())

    def _of_declarations(self, mutant: Mutant) -> list[str]:
        """Return the tests of what a module declares, be it by a function that makes its fields.

        A model's table is that of the migrations, what the API takes and answers is written,
        and so are the limits, and what is one transaction.
        """
        tests = next((tests for part, tests in DECLARED.items() if part in mutant.file), None)
        if "atomic" in mutant.change:
            tests = (TESTS_OF_TRANSACTIONS,)
        elif not (self._is_of_import(mutant) or mutant.place.name.endswith(".__init__")):
            return []
        return [name for name in self.learned if tests and name.startswith(tests)]

    def _concerns(self, name: str, file: str) -> bool:
        """Return whether a test calls any function of a file, or imports it itself."""
        return file in dict(self.learned[name].calls) or self.near[file].get(_module(name)) == 1

    def _empties(self, name: str) -> bool:
        """Return whether a test leaves the database empty."""
        item = self.items[name]
        mark = item.get_closest_marker("django_db")
        fixtures = {*getattr(item, "fixturenames", ())}
        return bool(fixtures & EMPTYING or (mark and mark.kwargs.get("transaction")))

    def _rank(self, name: str, mutant: Mutant) -> tuple[bool, int, float, int]:
        """Order tests: the last to notice a mutant first, then by nearness."""
        module = _module(name)
        in_room = module.startswith(f"tests.{mutant.file.split('/')[0]}.")
        return (
            name != self.killers.get((mutant.file, mutant.place.function)),
            0 if in_room else self.near[mutant.file].get(module, FAR),
            self.learned[name].seconds,
            self.order[name],
        )

    def _swaps(self, file: str, code: CodeType) -> list[tuple[FunctionType, CodeType]]:
        """Return the functions whose code a mutant changes, each with its new code."""
        new = {(one.co_qualname, one.co_firstlineno): one for one in _codes(code)}
        swaps = []
        for function in self.functions[str(ROOT / file)]:
            old = function.__code__
            other = new.get((old.co_qualname, old.co_firstlineno), old)
            if other != old and other.co_freevars == old.co_freevars:
                swaps.append((function, other))
        return swaps


def _from_scratch(mutant: Mutant, tests: Sequence[str], out: Path) -> int:
    """Run tests in a process that imports the mutant."""
    command = [sys.executable, "-m", "tests.mutants", f"--plant={mutant.file}:{mutant.number}"]
    environment = os.environ | {"TEST_DIRECTORY": str(out.parent / "tests")}
    (out.parent / "tests").mkdir()
    done = subprocess.run(
        [*command, f"--out={out}", "--tests", *tests], env=environment, check=False
    )
    return CAUGHT if out.exists() else done.returncode


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _module(name: str) -> str:
    return module_of(file_of(name))


def _with_next(names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    return zip(names, [*names[1:], None], strict=True)
