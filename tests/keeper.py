"""The PostgreSQL of a process of the test run, with a copy of one migrated database.

`python -m tests.keeper DIRECTORY` keeps it running for as long as its standard input is open, so
that it goes away with the test run, however that ends.
"""

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from tests.clusters import create_migrated
from tests.postgres import START_SECONDS, Postgres, programs

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

MIGRATED = "migrated"


class Keeper:
    """A server that another process keeps for us, and ends when we end."""

    def __init__(self, directory: Path) -> None:
        programs()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.keeper", str(directory)],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self.process.stdout
        if self.process.stdout.readline() != b"ready\n":
            raise RuntimeError("The PostgreSQL of the test run did not start.")

    def close(self) -> None:
        """End the server and wait until it is gone."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(START_SECONDS)


def use_copy(connection: "BaseDatabaseWrapper") -> None:
    """Copy the migrated database to one of this process, and connect to that from now on."""
    settings = connection.settings_dict
    name = settings["TEST"]["NAME"] or f"test_{settings['NAME']}"  # set for each xdist worker
    copying = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
    with connection._nodb_cursor() as cursor:
        cursor.execute(copying.format(sql.Identifier(name), sql.Identifier(MIGRATED)))
    connection.close()
    settings["NAME"] = name


def _keep(directory: Path) -> None:
    server = Postgres(directory)
    try:
        create_migrated(server)
        server.start()
        _set_apart(directory)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        server.remove()


def _set_apart(sockets: Path) -> None:
    """Name the migrated database anew: one to which others connect cannot be copied."""
    database = f"host={sockets} user=postgres dbname=template1"
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE postgres RENAME TO {MIGRATED}")
        connection.execute("CREATE DATABASE postgres")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without ending the server
    _keep(Path(sys.argv[1]))
