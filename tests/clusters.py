"""A PostgreSQL cluster with all migrations done, kept from one run to the next and copied."""

import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.postgres import Postgres
from tests.template import KEPT, kept
from tests.webhooks.stack import Stack


def create_migrated(postgres: Postgres) -> None:
    """Make the files of a server whose database is migrated."""
    postgres.create_like(migrated_cluster())


def migrated_cluster() -> Path:
    """Return the files that are copied; make them first where no run has."""
    template = kept("postgresql")
    if not template.exists():
        _keep(template)
    return template


def _keep(template: Path) -> None:
    """Migrate once, and keep the files in one move: others may do the same."""
    with tempfile.TemporaryDirectory(prefix="payments-cluster-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        postgres = Postgres(directory / "pg")
        postgres.create()
        postgres.start()
        try:
            Stack(directory, DATABASE_URL=postgres.url)
        finally:
            postgres.stop(signal.SIGINT)
        KEPT.mkdir(parents=True, exist_ok=True)
        unfinished = template.with_suffix(f".{os.getpid()}")
        shutil.copytree(directory / "pg/data", unfinished)
    for old in KEPT.glob("*.postgresql"):
        shutil.rmtree(old, ignore_errors=True)
    with suppress(OSError):  # another run has kept its own meanwhile
        unfinished.replace(template)
    shutil.rmtree(unfinished, ignore_errors=True)
