"""Which tests a change reaches: those that import what was changed, and those of its rooms.

A test speaks HTTP, so a room's tests reach all that the room's addresses do.
"""

import re
import subprocess
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import grimp

from tests.seconds import seconds_by_file

ROOT = Path(__file__).parent.parent
UNKNOWN_SECONDS = 1.0
FAR = 1_000


@dataclass(frozen=True)
class Reach:
    """Test files by nearness to the change: what fits into the time, and what does not."""

    changed: list[str]
    reached: list[str]
    left_out: list[str]


def changes() -> list[str]:
    """Return the files that differ from where this branch left main, or are not committed."""
    return sorted(
        {
            *_git("diff", "--name-only", left_main()),
            *_git("ls-files", "--others", "--exclude-standard"),
        }
    )


def left_main() -> str:
    """Return the commit at which this branch left main."""
    for main in ("origin/main", "main"):
        if found := _git("merge-base", "HEAD", main, may_fail=True):
            return found[0]
    return "HEAD"


def _git(*arguments: str, may_fail: bool = False) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if not may_fail:
        done.check_returncode()
    return done.stdout.splitlines()


def reach(files: Iterable[str], *, seconds: float) -> Reach:
    """Return the tests that a change of these files reaches, within so many seconds of tests."""
    files = list(files)
    near = distances(files)
    rooms = {part for file in files for part in Path(file).parts if part in _rooms()}
    took = seconds_by_file()
    found = Reach([file for file in files if _is_test(file) and (ROOT / file).exists()], [], [])
    seconds -= sum(took.get(file, UNKNOWN_SECONDS) for file in found.changed)
    others = set(_test_files()) - {*found.changed}
    ordered = sorted((_distance(file, near, rooms), file) for file in others)
    for distance, file in ordered:
        if distance >= FAR:
            break
        seconds -= took.get(file, UNKNOWN_SECONDS)
        (found.reached if seconds > 0 else found.left_out).append(file)
    return found


def distances(files: Iterable[str]) -> dict[str, int]:
    """Return how many imports each module is away from a changed one, if it reaches one at all."""
    graph = _graph()
    edge = {_module(file) for file in files} & graph.modules
    near: dict[str, int] = {}
    while edge:
        near |= dict.fromkeys(edge, max(near.values(), default=-1) + 1)
        importers = map(graph.find_modules_that_directly_import, edge)
        edge = set().union(*importers) - near.keys()
    return near


def _distance(file: str, near: dict[str, int], rooms: set[str]) -> int:
    """Return how far a test file is from the change; the tests of a changed room come first."""
    folder = file.split("/")[1]
    through = [_module(file), f"tests.{folder}.conftest", f"{folder}.urls"]
    nearest = min(near.get(name, FAR) for name in through)
    if near.get("tests.conftest") == 0:  # it is every test's; what it imports is not
        nearest = min(nearest, 1)
    return min(nearest, 0) if folder in rooms else nearest + 1


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*_rooms(), "tests", cache_dir=str(ROOT / ".import_linter_cache"))


@cache
def _rooms() -> list[str]:
    """Return the rooms, as the layers list them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rooms: list[str] = settings["tool"]["importlinter"]["root_packages"]
    return rooms


def _test_files() -> list[str]:
    return [str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").rglob("test_*.py"))]


def _is_test(file: str) -> bool:
    return re.fullmatch(r"tests/(.+/)?test_\w+\.py", file) is not None


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
