"""A pytest plugin that runs the collected tests not once, but against each of many mutants.

The tests run once to learn which functions each calls. Then a process is forked per mutant: it
swaps the code of the function and runs the tests that call it, up to the first failure. A mutant
of what runs at import needs a process from scratch.
"""

import ast
import builtins
import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.forks import Work, in_processes
from tests.mutations import Mutant
from tests.reach import FAR, distances

ROOT = Path.cwd()
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
    **dict.fromkeys(("serializers", "views", "filters", "urls"), (TESTS_OF_THE_CONTRACT,)),
    "": (TESTS_OF_LIMITS, TESTS_OF_TRANSACTIONS),
}
SURVIVED, CAUGHT, NO_TESTS = 0, 1, 5
# A mutant may make a test run on; so many times what it took before, and some, is too long.
PATIENCE, GRACE_SECONDS = 4, 20

# A builtin while the tests are learned: what every function of the files then calls first.
NOTE_CALL = "__note_call__"

Function = tuple[str, int]


@dataclass(frozen=True)
class Learned:
    """What a test took, in seconds of the processor, and which functions it called."""

    seconds: float
    calls: set[Function]


@dataclass(eq=False)  # pytest wants its plugins hashable
class Planting:
    """Passes each mutant to `judge`, with how its tests ended and which of them failed."""

    mutants: Sequence[Mutant]
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
        self.files = {str(ROOT / mutant.file): mutant.file for mutant in self.mutants}
        self.functions = _functions(self.files)
        self.near = {file: distances([file]) for file in self.files.values()}
        self.learned = self._learn()
        attacks = ((mutant, self._attack(mutant)) for mutant in self.mutants)
        for mutant, status, killer in in_processes(attacks, self.processes):
            if killer:
                self.killers[mutant.file, mutant.place.function] = killer
            self.judge(mutant, status, killer)
        return True

    def _learn(self) -> dict[str, Learned]:
        """Run each test once. One that fails as it is gets left out, and named."""
        names = list(self.items)
        parts = [names[number :: self.processes] for number in range(self.processes)]
        learned: dict[str, Learned] = {}
        jobs = ((part, self._noting(part)) for part in parts)
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
                for function, code in self._swaps(file, _that_notes_calls(file)):
                    function.__code__ = code
            caches = _caches(self.files)
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
        swaps = [] if self._is_of_import(mutant) else self._swaps(mutant.file, code)

        def attack(out: Path) -> int:
            if not tests:
                return NO_TESTS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            if not swaps:
                return _from_scratch(mutant, tests, out)
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

        What no function holds concerns the tests of its file, or all.
        """
        tests = self.learned.items()
        own = mutant.file, mutant.place.function
        names = [name for name, test in tests if own in test.calls]
        if self._is_of_import(mutant):
            names = [name for name, test in tests if self._concerns(name, test, mutant.file)]
        if mutant.place.at_import and not names:
            names = list(self.learned)
        names.sort(key=lambda name: self._rank(name, mutant))
        seconds = self.seconds
        chosen = self._of_declarations(mutant)
        for name in names:
            seconds -= self.learned[name].seconds
            if chosen and seconds < 0:
                break
            chosen.append(name)
        return chosen

    def _is_of_import(self, mutant: Mutant) -> bool:
        """Return whether only a process from scratch meets a mutant: where no test calls it."""
        own = mutant.file, mutant.place.function
        return mutant.place.at_import or all(own not in it.calls for it in self.learned.values())

    def _of_declarations(self, mutant: Mutant) -> list[str]:
        """Return the tests of what a module declares, be it by a function that makes its fields.

        A model's table is that of the migrations, what the API takes and answers is written,
        and so are the limits.
        """
        if not (self._is_of_import(mutant) or mutant.place.name.endswith(".__init__")):
            return []
        tests = next((tests for part, tests in DECLARED.items() if part in mutant.file), None)
        return [name for name in self.learned if tests and name.startswith(tests)]

    def _concerns(self, name: str, test: Learned, file: str) -> bool:
        """Return whether a test calls any function of a file, or imports it itself."""
        return file in dict(test.calls) or self.near[file].get(_module(name)) == 1

    def _rank(self, name: str, mutant: Mutant) -> tuple[bool, bool, int, float, int]:
        """Order tests: those that empty the database last, the last to notice a mutant first."""
        item = self.items[name]
        empties = {"transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
        mark = item.get_closest_marker("django_db")
        module = _module(name)
        in_room = module.startswith(f"tests.{mutant.file.split('/')[0]}.")
        return (
            bool(empties) or bool(mark and mark.kwargs.get("transaction")),
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
    return done.returncode


def _functions(files: Iterable[str]) -> dict[str, list[FunctionType]]:
    """Return every function there is of these files: no matter where it hangs."""
    found: dict[str, list[FunctionType]] = {file: [] for file in files}
    gc.unfreeze()  # what is frozen is not found
    for thing in gc.get_objects():
        # Not `isinstance`: it asks an object that is made when it is asked for, whatever that does.
        if type(thing) is FunctionType and thing.__code__.co_filename in found:
            found[thing.__code__.co_filename].append(thing)
    return found


def _that_notes_calls(file: str) -> CodeType:
    """Return the code of a file in which each function notes that it is called.

    A trace function would be told of every call of Django, too: with one, tests take twice as long.
    """
    tree = ast.parse((ROOT / file).read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            note = ast.Expr(ast.Call(ast.Name(NOTE_CALL, ast.Load()), [], []))
            node.body.insert(int(ast.get_docstring(node) is not None), note)
    fixed = ast.fix_missing_locations(tree)
    return compile(fixed, str(ROOT / file), "exec", dont_inherit=True)


def _caches(files: Iterable[str]) -> list[Any]:
    """Return the functions of these files that keep what they returned."""
    kept = [thing for thing in gc.get_objects() if type(thing) is _lru_cache_wrapper]
    codes = [(one, getattr(one.__wrapped__, "__code__", None)) for one in kept]
    return [one for one, code in codes if code and code.co_filename in files]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _module(name: str) -> str:
    return name.partition("::")[0].removesuffix(".py").replace("/", ".")


def _with_next(names: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    return zip(names, [*names[1:], None], strict=True)
