"""docs/second-database.md, command by command: the primary is lost under load, nothing else is."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from bench.traders import Trader, Transcript
from tests.clusters import create_migrated
from tests.deploy.page_commands import commands, follow
from tests.postgres import Postgres
from tests.webhooks.stack import Reply, Stack

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.sqlite,
    pytest.mark.night("what is lost is PostgreSQL's and an operator's; the service only waits"),
]

PAGE = "second-database.md"
REPLICATED = {"wal_level": "replica", "max_wal_senders": "5", "hot_standby": "on"}
CLIENTS = 4
ANSWERED_BEFORE, ANSWERED_AFTER = 40, 20
WAIT_SECONDS = 120
WAITS = """psql "$PRIMARY" -At -c "SELECT wait_event FROM pg_stat_activity" """


@dataclass
class Pair:
    """Both servers, and the service that knows of both."""

    primary: Postgres
    standby: Postgres
    stack: Stack

    def follow(self, block: str) -> str:
        """Do what a block of the page says; return what came out."""
        servers = {"PRIMARY": self.primary, "STANDBY": self.standby}
        names = {f"{name}_DATA": f"{server.directory}/data" for name, server in servers.items()}
        names |= {
            name: f"host={server.directory} user=postgres" for name, server in servers.items()
        }
        return follow(block, self.stack.environment | names)

    def join(self) -> None:
        """Make the standby, start it, and let commits wait for it."""
        for block in commands(PAGE, "Make the standby"):
            self.follow(block)
        self.standby.start()
        wait, show, _ = commands(PAGE, "Let commits wait for it")
        self.follow(wait)
        _wait_until(lambda: self.follow(show) == "sync\n")


@contextmanager
def two_servers(directory: Path) -> Iterator[Pair]:
    directory.chmod(0o711)
    with ExitStack() as closing:
        primary, standby = (Postgres(directory / name, durable=True) for name in ("one", "two"))
        for server in (primary, standby):
            server.options |= REPLICATED
            closing.callback(server.remove)
        create_migrated(primary)
        primary.start()
        standby.make_directory()
        hosts = f"{primary.directory},{standby.directory}&target_session_attrs=read-write"
        url = f"postgres://postgres@/postgres?host={hosts}"
        stack = closing.enter_context(Stack(directory, migrated=True, DATABASE_URL=url))
        yield Pair(primary, standby, stack)


def test_the_primary_is_lost_and_nothing_that_was_acknowledged() -> None:
    with TemporaryDirectory(prefix="payments-pair-") as name, two_servers(Path(name)) as pair:
        pair.join()
        pair.stack.start_web()
        pair.stack.register("https://shop.example.com/hooks")
        _no_answer_without_the_standby(pair)
        transcript = Transcript()
        traders = [
            Trader(number, 1, pair.stack.port, pair.stack.key, transcript)
            for number in range(CLIENTS)
        ]
        for trader in traders:
            trader.start()
        _wait_for(transcript, ANSWERED_BEFORE)
        [proof] = commands(PAGE, "What may read from the standby")
        there = pair.stack.environment | {"DATABASE_URL": pair.standby.url}
        said = follow(proof, there)
        assert "The ledger is right" in said
        assert "This is a standby, as of 2" in said

        pair.primary.stop(signal.SIGQUIT)
        answered = len(transcript.answers)
        promote, prove = commands(PAGE, "When the primary is lost")
        pair.follow(promote)

        _wait_for(transcript, answered + ANSWERED_AFTER)
        for trader in traders:
            trader.over.set()
        for trader in traders:
            trader.join()
        for key in sorted(transcript.answers):
            traders[0].repeat(key)
        assert transcript.changed == transcript.given_up == []
        assert transcript.answers.keys() <= _keys(pair.standby)
        assert "Payouts are shut" in pair.follow(prove)


def _no_answer_without_the_standby(pair: Pair) -> None:
    """While the standby is away nothing is acknowledged, also when it is asked for again."""

    def pay() -> Reply:
        return pair.stack.post("/v1/payments", {"amount": 1}, key="away")

    with ThreadPoolExecutor(1) as pool:
        _signal_all(pair.standby, signal.SIGSTOP)
        try:
            waiting = pool.submit(pay)
            _wait_until(lambda: "SyncRep" in pair.follow(WAITS))
            again = pay()
            is_answered = waiting.done()
        finally:
            _signal_all(pair.standby, signal.SIGCONT)
        first = waiting.result()
    assert (again.status, is_answered) == (409, False)
    assert (first.status, first.replayed) == (201, False)
    assert (pay().body, pay().replayed) == (first.body, True)


def _signal_all(server: Postgres, number: signal.Signals) -> None:
    assert server.process
    pid = server.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for process in (pid, *map(int, children)):
        os.kill(process, number)


def _keys(server: Postgres) -> set[str]:
    with psycopg.connect(f"host={server.directory} user=postgres") as connection:
        return {row[0] for row in connection.execute("SELECT key FROM core_idempotencykey")}


def _wait_for(transcript: Transcript, answers: int) -> None:
    _wait_until(lambda: len(transcript.answers) >= answers)


def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)
