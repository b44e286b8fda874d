"""`manage.py prepare` in two terminals at once: `make demo` during the first `make run`."""

from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock
from io import StringIO
from pathlib import Path
from typing import IO, Any

import pytest
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.core.management.commands import migrate

from config.management.commands import prepare

pytestmark = pytest.mark.django_db


class Releasing(StringIO):
    """Output that releases a lock as soon as something is written to it."""

    def __init__(self, held: IO[str]) -> None:
        super().__init__()
        self.held = held

    def write(self, text: str) -> int:
        flock(self.held, LOCK_UN)
        return super().write(text)


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(prepare, "BASE_DIR", tmp_path)
    monkeypatch.setattr(prepare, "refuse_unsafe", lambda: None)
    (tmp_path / "var").mkdir()
    return tmp_path / "var/preparing.lock"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch, lock: Path) -> list[tuple[str, bool]]:
    """Return the commands that are called instead of run, and whether the lock was held then."""
    called: list[tuple[str, bool]] = []

    def note(command: str | BaseCommand, **_: Any) -> None:
        name = command if isinstance(command, str) else "migrate"
        called.append((name, is_held(lock)))

    monkeypatch.setattr(prepare, "call_command", note)
    return called


def is_held(lock: Path) -> bool:
    if not lock.exists():
        return False
    with lock.open("w") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_the_database_is_prepared_by_one_terminal_at_a_time(settings, lock, steps):
    settings.DEVELOPMENT_MODE = True

    with lock.open("w") as other:
        flock(other, LOCK_EX)
        said = Releasing(other)
        call_command("prepare", stdout=said)

    assert said.getvalue().startswith("Another terminal is preparing the database: waiting")
    names = [name for name, _ in steps]
    assert (names[0], names[-1]) == ("migrate", "create_staff")
    assert "demo" in names
    assert all(held for _, held in steps)
    assert not is_held(lock)


def test_a_terminal_alone_prepares_the_database_without_a_word_about_others(settings, steps):
    settings.DEVELOPMENT_MODE = True
    said = StringIO()

    call_command("prepare", stdout=said)

    assert "Another terminal" not in said.getvalue()


def test_in_production_nothing_is_prepared_but_the_schema(settings, lock, steps):
    settings.DEVELOPMENT_MODE = False

    call_command("prepare")

    assert steps == [("migrate", False)]
    assert not lock.exists()


class TerminalOutput(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("output", "said"),
    [(TerminalOutput(), "\r\033[KMigrations applied: 1 …\r\033[K"), (StringIO(), "")],
)
def test_a_terminal_is_told_how_many_migrations_are_applied(monkeypatch, output, said):
    def apply_one(command: migrate.Command, **_: Any) -> None:
        command.migration_progress_callback("apply_start")
        command.migration_progress_callback("apply_success")

    monkeypatch.setattr(migrate.Command, "handle", apply_one)

    call_command(prepare.Migration(), verbosity=0, stdout=output)

    assert output.getvalue() == said
