"""An SQLite database with all migrations done, kept from one run to the next and copied.

Migrating takes some seconds in each process; copying takes none. A change of any migration, of
what migrations import, or of a package makes a new one.
"""

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "var/tests"
_OURS = re.compile(r"^(?:from|import) ([a-z_]+)\.([a-z_]+)", re.MULTILINE)


def make(database: Path) -> None:
    """Migrate where no run has, in a process of its own, with the settings of the tests.

    Called before there are processes that would each do so at once. They find the modules compiled.
    """
    if kept().exists():
        return
    settings = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=os.environ | settings, check=True)
    keep(database)


def use(database: Path) -> bool:
    """Copy the template to where the database will be; return whether there was one."""
    template = kept()
    if template.exists():
        shutil.copyfile(template, database)
    return template.exists()


def keep(database: Path) -> None:
    """Make the freshly migrated database the template, in one move: others may do the same."""
    template = kept()
    KEPT.mkdir(parents=True, exist_ok=True)
    unfinished = template.with_suffix(f".{os.getpid()}")
    with (
        closing(sqlite3.connect(database)) as source,
        closing(sqlite3.connect(unfinished)) as target,
    ):
        source.backup(target)
    unfinished.replace(template)
    for old in KEPT.glob("*.sqlite3"):
        if old != template:
            old.unlink(missing_ok=True)


def kept(kind: str = "sqlite3") -> Path:
    """Return where the template of today's migrations is kept, whether it is there or not."""
    migrations = sorted(ROOT.glob("*/migrations/*.py"))
    imported = {
        ROOT / room / f"{module}.py"
        for path in migrations
        for room, module in _OURS.findall(path.read_text())
    }
    editor = ROOT / "config/sqlite/table_changes.py"
    files = [*migrations, *sorted(imported), editor, ROOT / "requirements/base.txt"]
    texts = (f"{path}\n{path.read_text()}" for path in files if path.is_file())
    return KEPT / f"{hashlib.sha256(''.join(texts).encode()).hexdigest()[:32]}.{kind}"


@contextmanager
def unmeasured() -> Iterator[None]:
    """Do not count branches meanwhile: where each is, migrating takes many minutes."""
    coverage = sys.modules.get("coverage")
    measuring = coverage.Coverage.current() if coverage else None
    if measuring:
        measuring.stop()
    try:
        yield
    finally:
        if measuring:
            measuring.start()
