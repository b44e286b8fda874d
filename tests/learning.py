"""What `make mutants` learns of each test: which functions it calls, and how long it takes.

It can be kept from run to run. A test is learned again when its own file has changed, or a file
whose functions it called.
"""

import ast
import gc
import hashlib
import importlib
import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from django.core.exceptions import ImproperlyConfigured

ROOT = Path.cwd()
# A builtin while the tests are learned: what every function of the files then calls first.
NOTE_CALL = "__note_call__"

Function = tuple[str, int]


@dataclass(frozen=True)
class Learned:
    """What a test took, in seconds of the processor, and which functions it called."""

    seconds: float
    calls: set[Function]


@dataclass(frozen=True)
class Notebook:
    """Keeps what was learned of the functions of some files, in a file of its own."""

    path: Path | None
    files: Collection[str]

    def read(self) -> dict[str, Learned]:
        """Return what is known of the tests that still are what they were."""
        if self.path is None or not self.path.exists():
            return {}
        kept = json.loads(self.path.read_text())
        if kept["files"] != sorted(self.files):
            return {}
        same = {file for file, digest in kept["digests"].items() if digest == _digest(file)}
        return {
            name: Learned(seconds, {(file, line) for file in calls for line in calls[file]})
            for name, (seconds, calls) in kept["tests"].items()
            if {file_of(name), *calls} <= same
        }

    def write(self, learned: dict[str, Learned]) -> None:
        """Keep what is known of these tests, in one move."""
        if self.path is None:
            return
        files = {*self.files, *map(file_of, learned)}
        tests = {name: (test.seconds, _by_file(test.calls)) for name, test in learned.items()}
        kept = {
            "files": sorted(self.files),
            "digests": {file: _digest(file) for file in sorted(files)},
            "tests": tests,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(kept))
        unfinished.replace(self.path)


def module_of(file: str) -> str:
    """Return the name by which a file is imported."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def file_of(test: str) -> str:
    """Return the file of a test."""
    return test.partition("::")[0]


def functions_of(files: Iterable[str]) -> dict[str, list[FunctionType]]:
    """Return every function there is of these files: no matter where it hangs.

    `config.wsgi` refuses to be imported with the configuration of tests: it has none here, and its
    mistakes are planted in processes of their own.
    """
    found: dict[str, list[FunctionType]] = {str(ROOT / file): [] for file in files}
    for file in files:  # some are imported only by who needs them
        with suppress(ImproperlyConfigured):
            importlib.import_module(module_of(file))
    gc.unfreeze()  # what is frozen is not found
    for thing in gc.get_objects():
        # Not `isinstance`: it asks an object that is made when it is asked for, whatever that does.
        if type(thing) is FunctionType and thing.__code__.co_filename in found:
            found[thing.__code__.co_filename].append(thing)
    return found


def that_notes_calls(file: str) -> CodeType:
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


def caches_of(files: Iterable[str]) -> list[Any]:
    """Return the functions of these files that keep what they returned."""
    kept = [thing for thing in gc.get_objects() if type(thing) is _lru_cache_wrapper]
    codes = [(one, getattr(one.__wrapped__, "__code__", None)) for one in kept]
    return [one for one, code in codes if code and code.co_filename in files]


def _by_file(calls: Iterable[Function]) -> dict[str, list[int]]:
    lines = defaultdict(list)
    for file, line in sorted(calls):
        lines[file].append(line)
    return lines


def _digest(file: str) -> str:
    path = ROOT / file
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
