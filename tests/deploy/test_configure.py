"""`manage.py configure`: an environment that the service starts with."""

import errno
import os
import stat
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import IO
from unittest import mock

import pytest
from django.core.management import CommandError, call_command

from config.environment import VARIABLES
from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

FILLED_IN = {
    "BASE_URL": "https://pay.island.bs",
    "DATABASE_URL": "postgres://payments:secret@127.0.0.1/payments",
    "EMAIL_URL": "smtp+tls://us:secret@mail.island.bs:587",
    "SMS_URL": "https://us:secret@sms.island.bs/send",
}


@dataclass(frozen=True)
class Configured:
    """How the command ended, and what it has said."""

    returncode: int
    stdout: str
    stderr: str


def environment(given: dict[str, str]) -> dict[str, str]:
    """Return that of an operator: nothing of the tests, and what is given."""
    ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    return rest | {"DEVELOPMENT_FILE": ""} | given


def configure(file: Path, *, answers: str | None = None, **given: str) -> Configured:
    """Run the command in this process, as the service takes long to start."""
    out = StringIO()
    with (
        mock.patch.dict(os.environ, environment(given), clear=True),
        mock.patch("sys.stdin", StringIO(answers or "")),
        redirect_stdout(out),
    ):
        try:
            call_command("configure", str(file), no_input=answers is None, stdout=out)
        except CommandError as error:
            return Configured(error.returncode, out.getvalue(), str(error))
    return Configured(0, out.getvalue(), "")


def test_it_writes_what_the_service_starts_with(tmp_path: Path) -> None:
    file = tmp_path / "environment"

    given = FILLED_IN | {"SERVICE_NAME": "Payments"}
    done = subprocess.run(
        [sys.executable, "manage.py", "configure", str(file)],
        cwd=ROOT,
        env=environment(given),
        input="\nIsland Pay\n" + "\n" * 15,
        capture_output=True,
        text=True,
    )

    values = dict(line.split("=", 1) for line in file.read_text().splitlines())
    assert done.returncode == 0, done.stderr
    assert "The service can start with it." in done.stdout
    assert (values["BASE_URL"], values["SERVICE_NAME"]) == ("https://pay.island.bs", "Island Pay")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(values) <= set(VARIABLES)
    assert values["CHECKPOINT_KEY"].startswith("PRIVATE+KEY+pay.island.bs/ledger+")


@pytest.fixture
def unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no service with what is written, which takes seconds: other tests do."""
    monkeypatch.setattr("config.management.commands.configure._faults", lambda values: ())


def test_no_two_environments_share_a_secret(tmp_path: Path, unproven: None) -> None:
    for name in ("one", "two"):
        assert configure(tmp_path / name, **FILLED_IN).returncode == 0
    one, two = (
        dict(line.split("=", 1) for line in (tmp_path / name).read_text().splitlines())
        for name in ("one", "two")
    )

    assert {name for name in one if one[name] != two[name]} == {
        "SECRET_KEY", "PIN_PEPPER", "ENCRYPTION_KEY", "LEDGER_KEY", "CHECKPOINT_KEY",
    }  # fmt: skip


def test_it_names_what_the_service_would_not_start_with(tmp_path: Path) -> None:
    wrong = {"BASE_URL": "http://pay.island.bs", "SMS_URL": "http://sms.island.bs"}

    done = configure(tmp_path / "environment", **FILLED_IN | wrong)

    assert done.returncode == 1
    assert "BASE_URL must begin with https://" in done.stderr
    assert "SMS_URL must begin with https://" in done.stderr


def test_it_names_what_is_left_of_the_example(tmp_path: Path, unproven: None) -> None:
    done = configure(tmp_path / "environment", BASE_URL="https://pay.island.bs")

    assert done.returncode == 1
    assert [line.split()[0] for line in done.stderr.splitlines() if "example" in line] == [
        "DATABASE_URL", "EMAIL_URL", "SMS_URL",
    ]  # fmt: skip


def test_a_key_named_after_the_examples_host_is_to_be_made_anew(
    tmp_path: Path, unproven: None
) -> None:
    """The log would bear that name: correcting BASE_URL in the file leaves it in the key."""
    done = configure(
        tmp_path / "environment", **FILLED_IN | {"BASE_URL": "https://pay.example.com"}
    )

    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == [
        "BASE_URL still has example.com, of the example.",
        "CHECKPOINT_KEY is named after it: remove the file, and run this again.",
    ]


def test_it_overwrites_no_file(tmp_path: Path) -> None:
    (tmp_path / "environment").write_text("SECRET_KEY=mine\n")

    done = configure(tmp_path / "environment")

    assert (done.returncode, (tmp_path / "environment").read_text()) == (1, "SECRET_KEY=mine\n")


def test_a_missing_folder_is_named_before_anything_is_asked(tmp_path: Path) -> None:
    done = configure(tmp_path / "payments/environment", answers="https://pay.island.bs\n")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{tmp_path}/payments is no folder in which a file can be created."


def test_a_file_written_while_questions_were_asked_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "environment"
    file.write_text("SECRET_KEY=mine\n")

    with mock.patch.object(Path, "exists", return_value=False):  # as it was before the questions
        done = configure(file, **FILLED_IN)

    assert (done.returncode, file.read_text()) == (1, "SECRET_KEY=mine\n")
    assert done.stderr == f"{file} exists: it holds secrets, and is not overwritten."


def test_what_does_not_fit_on_the_disk_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "environment"

    def no_space(descriptor: int, mode: str) -> IO[str]:
        os.close(descriptor)
        raise OSError(errno.ENOSPC, "No space left on device")

    with mock.patch("os.fdopen", no_space):
        done = configure(file, **FILLED_IN)

    assert (done.returncode, file.exists()) == (1, False)
    assert done.stderr == f"{file} was not written: No space left on device."


def test_without_input_it_names_the_variables_to_set(tmp_path: Path) -> None:
    file = tmp_path / "environment"

    done = configure(file, answers="https://pay.island.bs\n")

    assert done.returncode == 1
    assert "run again with --no-input: BASE_URL, SERVICE_NAME, DATABASE_URL, " in done.stderr
    assert not file.exists()
