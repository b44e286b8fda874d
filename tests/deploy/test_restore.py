"""docs/backup.md, command by command: restored to an instant, proven, reconciled, going on.

The server's settings stand apart from its files, as on Debian.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from core.task_runs import DRILL
from tests.clusters import create_migrated
from tests.deploy.page_commands import commands, follow
from tests.postgres import Postgres
from tests.source_tree import ROOT
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.sqlite]

PAGE = "backup.md"
WAIT_SECONDS = 120  # where others have the machine
BANK = {"PAYOUT_DEBTOR_ACCOUNT": "000777", "PAYOUT_DEBTOR_BIC": "BOTIBSNS"}


class Backup:
    """A service whose database is backed up, and the names that the page has for the places."""

    def __init__(self, directory: Path, postgres: Postgres, stack: Stack) -> None:
        self.postgres, self.stack = postgres, stack
        self.bank_file = directory / "statement.xml"
        self.drill = Postgres(postgres.directory / "drill", durable=True)
        self.drill.make_directory()
        self.environment = stack.environment | {
            "PRIMARY": f"host={postgres.directory} user=postgres",
            "PRIMARY_DATA": f"{postgres.directory}/data",
            "BACKUPS": f"{postgres.directory}/backups",
            "WAL": f"{postgres.directory}/wal",
            "DRILL": str(self.drill.directory),
            "BANK_FILES": str(self.bank_file),
            "PGUSER": "postgres",
            "PGDATABASE": "postgres",
        }

    def shop(self, *words: str) -> str:
        """Move the money of a live merchant; return the status of its payout."""
        command = [sys.executable, "-m", "tests.deploy.live_shop", *words]
        settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "ALLOWED_HOSTS": "testserver"}
        return subprocess.run(
            command,
            env=self.environment | settings,
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def one_night(self) -> None:
        """Do what the timer does, beside a backup that is too old, and one that broke off."""
        backups = self.postgres.directory / "backups"
        for name in ("2020-01-01T023000", "2020-01-02T023000.part"):
            (backups / name).mkdir()
        said = follow("deploy/nightly", self.environment)
        assert "Payouts are open again" in said
        [newest] = backups.iterdir()
        assert f"kept: 1 backups, the oldest {newest.name}" in said
        self.environment["BACKUP"] = str(newest)

    def noted(self) -> list[str]:
        """Return what the service was told of drills."""
        with psycopg.connect(f"host={self.postgres.directory} user=postgres") as connection:
            return [name for [name] in connection.execute("SELECT name FROM core_taskrun")]

    def archive_all(self) -> None:
        """Close the present file of the log, and wait until it is in the archive."""
        with psycopg.connect(f"host={self.postgres.directory} user=postgres") as connection:
            [[name]] = connection.execute("SELECT pg_walfile_name(pg_switch_wal())")
        deadline = time.monotonic() + WAIT_SECONDS
        while not (self.postgres.directory / "wal" / name).exists():
            assert time.monotonic() < deadline
            time.sleep(0.1)


@contextmanager
def backed_up() -> Iterator[Backup]:
    """Start a service on a database with the settings of the page."""
    with TemporaryDirectory(prefix="payments-backup-") as name, ExitStack() as closing:
        directory = Path(name)
        directory.chmod(0o711)
        postgres = Postgres(directory / "pg", durable=True)
        closing.callback(postgres.remove)
        create_migrated(postgres)
        wal, backups = (postgres.directory / name for name in ("wal", "backups"))
        for folder in (wal, backups):
            folder.mkdir()
            postgres.own(folder)
        postgres.options |= _settings_of_the_page(wal) | _settings_elsewhere(postgres)
        postgres.start()
        _told_by_alter_system(postgres)
        witness = directory / "witness"
        witness.mkdir()
        urls = {"DATABASE_URL": postgres.url, "CHECKPOINT_WITNESSES": f"file://{witness}"}
        stack = Stack(directory, migrated=True, **urls, **BANK)
        yield Backup(directory, postgres, closing.enter_context(stack))


def _settings_of_the_page(wal: Path) -> dict[str, str]:
    block = (ROOT / "docs" / PAGE).read_text().split("```ini\n")[1].split("```")[0]
    lines = (line.split(" = ", 1) for line in block.splitlines())
    return {name: value.strip("'").replace("/backup/wal", str(wal)) for name, value in lines}


def _settings_elsewhere(postgres: Postgres) -> dict[str, str]:
    """Move the files of settings out of the folder of data, as Debian has them."""
    names = {"config_file": "postgresql.conf", "hba_file": "pg_hba.conf"}
    for name in names.values():
        (postgres.directory / "data" / name).rename(postgres.directory / name)
    return {setting: str(postgres.directory / name) for setting, name in names.items()}


def _told_by_alter_system(postgres: Postgres) -> None:
    """Leave what an earlier restore may have left: it comes with the data of each backup."""
    target = "recovery_target_time = '2000-01-01 00:00:00+00'"
    with psycopg.connect(f"host={postgres.directory} user=postgres", autocommit=True) as connection:
        connection.execute(f"ALTER SYSTEM SET {target}")


def test_a_night_is_backed_up_and_restored_as_a_drill() -> None:
    with backed_up() as backup:
        backup.one_night()

        assert backup.noted() == [DRILL]


@pytest.mark.night("by day the drill of one night: only who restores for good goes on from there")
def test_it_is_restored_to_an_instant_and_goes_on() -> None:
    [drill] = commands(PAGE, "The drill")
    [for_good, move, _runs, opening] = commands(PAGE, "When it is not a drill")
    with backed_up() as backup:
        (backup.postgres.directory / "wal" / ("0" * 24)).touch()
        backup.one_night()
        assert backup.noted() == [DRILL]
        assert not (backup.postgres.directory / "wal" / ("0" * 24)).exists()
        assert backup.shop("schedule") == "scheduled"
        backup.environment["UNTIL"] = datetime.now(UTC).isoformat()
        assert backup.shop("send", str(backup.bank_file)) == "in_transit"
        backup.archive_all()

        said = follow(drill, backup.environment)

        assert "Payouts are shut" in said
        assert "Lost since the backup" in said  # a head that the witness has
        assert "Payouts are open again" in said
        assert not (backup.drill.directory / "data").exists()
        said = follow(for_good, backup.environment)
        assert "payouts stay shut" in said
        assert "open again" not in said
        server = (backup.drill.directory / "data" / "postmaster.pid").read_text().split()[0]
        assert "ENCRYPTION_KEY" in backup.environment
        assert b"ENCRYPTION_KEY" not in Path(f"/proc/{server}/environ").read_bytes()
        backup.postgres.stop(signal.SIGINT)
        follow(move, backup.environment)
        backup.postgres.start()
        assert backup.shop("show") == "paid"
        assert "Payouts are open again" in follow(opening, backup.environment)
        _goes_on(backup)


def _goes_on(backup: Backup) -> None:
    """Start the service on what was restored: a payment is made, and the ledger still proves.

    Of the witness it is told no more, as the page has it: what is lost stays lost there.
    """
    stack = backup.stack
    stack.environment["CHECKPOINT_WITNESSES"] = ""
    stack.start_web()
    assert stack.post("/v1/merchants", {"name": "Shop", "email": "a@example.com"}).status == 201
    assert stack.run("manage.py", "verify_ledger").wait(WAIT_SECONDS) == 0, stack.words()
