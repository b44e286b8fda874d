"""What `manage.py` says where nothing is set up yet."""

import os
import subprocess
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection

from config import first_steps
from config.environment import BASE_DIR
from config.first_steps import NO_TABLES, NOT_SET_UP, run_command


@pytest.fixture
def failing(monkeypatch):
    """Give a command that fails with an error."""

    def fail_with(error: Exception) -> None:
        def execute(arguments: list[str]) -> None:
            raise error

        monkeypatch.setattr(first_steps, "execute_from_command_line", execute)

    return fail_with


@pytest.mark.parametrize("error", [ImproperlyConfigured("empty"), OperationalError("no file")])
def test_it_says_what_to_do_where_there_are_no_secrets(failing, monkeypatch, error):
    monkeypatch.setenv("SECRET_KEY", "")
    failing(error)

    with pytest.raises(SystemExit) as end:
        run_command(["manage.py", "verify_ledger"])

    assert end.value.code == NOT_SET_UP


@pytest.mark.django_db
def test_it_says_what_to_do_where_the_database_is_empty(failing, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setattr(connection.introspection, "table_names", list)
    failing(OperationalError("no such table: ledger_account"))

    with pytest.raises(SystemExit) as end:
        run_command(["manage.py", "verify_ledger"])

    assert end.value.code == NO_TABLES


@pytest.mark.django_db
def test_it_says_why_a_migration_creates_no_tables(failing, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setattr(connection.introspection, "table_names", list)
    failing(OperationalError("permission denied for schema public\nLINE 1: …"))

    with pytest.raises(SystemExit) as end:
        run_command(["manage.py", "migrate", "--no-input"])

    assert end.value.code == "No tables were created. permission denied for schema public"


def test_it_says_why_a_database_is_not_reached(failing, monkeypatch):
    def refuse() -> list[str]:
        raise OperationalError("couldn't get a connection after 2.00 sec")

    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.setattr(connection.introspection, "table_names", refuse)
    failing(OperationalError("couldn't get a connection"))

    with pytest.raises(SystemExit, match=r"not answer: couldn't get a connection after 2\.00"):
        run_command(["manage.py", "create_staff", "ada"])


@pytest.mark.django_db
def test_another_failure_is_shown_whole(failing, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    failing(OperationalError("disk I/O error"))

    with pytest.raises(OperationalError, match="disk I/O error"):
        run_command(["manage.py", "verify_ledger"])


@pytest.mark.slow
@pytest.mark.parametrize("command", ["verify_ledger", "prepare"])
def test_a_fresh_clone_is_told_in_one_sentence(tmp_path, command):
    bare = {
        "PATH": os.environ["PATH"],
        "DEVELOPMENT_FILE": str(tmp_path / "none.env"),
        "DATABASE_URL": f"sqlite:///{tmp_path}/none/db.sqlite3",
    }

    done = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=BASE_DIR,
        env=bare,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stderr) == (1, f"{NOT_SET_UP}\n")


def test_without_packages_it_says_how_to_get_them():
    done = subprocess.run(
        [sys.executable, "-E", "-S", "manage.py", "help"],
        cwd=BASE_DIR,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "`make run` installs them" in done.stderr
    assert "Traceback" not in done.stderr
