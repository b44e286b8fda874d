"""Behind PgBouncer in transaction mode, on two sessions for all processes, everything works."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from bench.traders import Trader, Transcript
from tests.clusters import create_migrated
from tests.machine import need
from tests.postgres import Postgres, as_user
from tests.webhooks.receiver import Receiver
from tests.webhooks.stack import Stack

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.sqlite,
    pytest.mark.night("only what needs a session of its own breaks it, which is rare"),
]

SESSIONS = 2
CLIENTS = 6
ANSWERS = 60
WAIT_SECONDS = 120  # where others have the machine
# What docs/scaling.md has the role keep where the service cannot ask for it.
LIMITS = "ALTER ROLE postgres SET statement_timeout = '5s'"
PREPARES_FROM = (1, 22)  # as docs/scaling.md says
OTHERS = """
    SELECT pid, application_name FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def _program() -> str:
    return shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"


def _prepares() -> bool:
    """Return whether the PgBouncer of this machine keeps prepared statements."""
    said = subprocess.run([_program(), "--version"], capture_output=True, text=True, check=True)
    major, minor = said.stdout.split()[1].split(".")[:2]
    return (int(major), int(minor)) >= PREPARES_FROM


@contextmanager
def pgbouncer(directory: Path, postgres: Postgres) -> Iterator[str]:
    """Run PgBouncer before the server; yield the URL of the database behind it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    config = directory / "pgbouncer.ini"
    config.write_text(
        f"[databases]\npostgres = host={postgres.directory} user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = any\npool_mode = transaction\ndefault_pool_size = {SESSIONS}\n"
        + ("max_prepared_statements = 200\n" if _prepares() else "")
    )
    process = subprocess.Popen(
        [_program(), "--quiet", str(config)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stderr=(directory / "bouncer.log").open("wb"),
        **as_user(),
    )
    try:
        yield f"postgres://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait(10)


def test_everything_works_on_two_sessions() -> None:
    need("pgbouncer", "PgBouncer")
    with TemporaryDirectory(prefix="payments-pooled-") as name, ExitStack() as closing:
        directory = Path(name)
        directory.chmod(0o711)
        postgres = Postgres(directory / "pg")
        closing.callback(postgres.remove)
        create_migrated(postgres)
        postgres.start()
        with _connection(postgres) as connection:
            connection.execute(LIMITS)
        url = closing.enter_context(pgbouncer(directory, postgres))
        receiver = Receiver(directory / "received")
        closing.callback(receiver.close)
        pooled = {"DATABASE_URL": url, "DATABASE_POOLED": "true"}
        pooled["DATABASE_PREPARED"] = str(_prepares())
        stack = closing.enter_context(Stack(directory, migrated=True, **pooled))
        stack.start_web()
        stack.start_worker()
        stack.register(receiver.url("/say/200/pooled"))

        transcript = _trade(stack)

        assert set(transcript.statuses) <= {200, 201, 422}
        assert transcript.changed == transcript.given_up == []
        with _connection(postgres) as connection:
            events = [row[0] for row in connection.execute("SELECT id FROM webhooks_event")]
            sessions = connection.execute(OTHERS).fetchall()
        assert 0 < len(sessions) <= SESSIONS
        assert {name for _, name in sessions} <= {"payments worker", "payments granian"}
        receiver.wait_for("/say/200/pooled", len(events), seconds=WAIT_SECONDS)
        assert stack.run("manage.py", "verify_ledger").wait(WAIT_SECONDS) == 0, stack.words()


def _trade(stack: Stack) -> Transcript:
    transcript = Transcript()
    traders = [Trader(number, 1, stack.port, stack.key, transcript) for number in range(CLIENTS)]
    for trader in traders:
        trader.start()
    deadline = time.monotonic() + WAIT_SECONDS
    while len(transcript.answers) < ANSWERS:
        assert time.monotonic() < deadline, transcript.statuses
        time.sleep(0.05)
    for trader in traders:
        trader.over.set()
    for trader in traders:
        trader.join()
    for key in sorted(transcript.answers):
        traders[0].repeat(key)
    return transcript


def _connection(postgres: Postgres) -> psycopg.Connection:
    return psycopg.connect(f"host={postgres.directory} user=postgres", autocommit=True)
