"""Start what is measured: databases, web servers, and the processes that prepare their data."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import orjson

from bench.copies import FIRST_NUMBER
from bench.operations import Operation
from bench.stage import Stage

if TYPE_CHECKING:
    from tests.postgres import Postgres
    from tests.webhooks.stack import Stack

HOST = "bench.localhost"
WORKERS, THREADS = 2, 4
START_SECONDS = 120  # for a machine shared with others
PRODUCTION = {
    "ALLOWED_HOSTS": "127.0.0.1",
    "BASE_URL": f"https://{HOST}",
    "CHECKOUT_URL": f"https://{HOST}",
    "DEVELOPMENT_MODE": "false",
    "EMAIL_URL": "smtp://127.0.0.1:9",
    "GATHER_SECONDS": "5",
    "LOG_LEVEL": "INFO",
    "SMS_URL": "https://sms.example.com/send",
    "TRUSTED_PROXIES": "1",
    "WEB_THREADS": str(THREADS),
    "WEB_WORKERS": str(WORKERS),
    "WEBHOOK_ALLOW_PRIVATE": "false",
}
# As in `make run`.
EMBEDDED = {
    "ALLOWED_HOSTS": HOST,
    "GATHER_SECONDS": "5",
    "LOG_LEVEL": "INFO",
    "WEB_THREADS": "8",
    "WEB_WORKERS": "1",
}
_ALONE = ("--without-gossip", "--without-mingle", "--without-heartbeat")
BACKGROUND = (
    ("worker", "--queues", "default", "--concurrency", "4", *_ALONE),
    ("worker", "--queues", "webhooks", "--pool", "threads", "--concurrency", "4", *_ALONE),
    ("beat",),
)
_TICKS = os.sysconf("SC_CLK_TCK")
_PPID, _UTIME, _CHILDREN_STIME = 1, 11, 14  # in /proc/<pid>/stat, after the name


@dataclass(frozen=True)
class WebServer:
    """A running web server."""

    url: str
    pid: int


@dataclass(frozen=True)
class Side:
    """One of the two sides measured in turn. `database` is its database's process id, if any."""

    server: WebServer
    database: int | None
    stagehand: "Stagehand"

    def seconds_used(self) -> tuple[float, float]:
        """Return the CPU time of the server and of the database since they were started."""
        database = 0.0 if self.database is None else cpu_seconds(self.database)
        return cpu_seconds(self.server.pid), database


class Stagehand:
    """A process that builds the stage in one database, and carries out orders there."""

    def __init__(self, stack: "Stack") -> None:
        self.process = subprocess.Popen(  # our own
            [sys.executable, "-m", "bench.stage"],
            env=stack.environment
            | {"DJANGO_SETTINGS_MODULE": "config.settings", "LOG_LEVEL": "WARNING"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self.text = self._answer()
        self.stage = Stage(**orjson.loads(self.text))
        self.next = FIRST_NUMBER

    def prepare(self, operation: Operation, count: int) -> int:
        """Create the payments that `count` requests need; return the number before the first."""
        before = self.next
        self.next += count
        if operation.supply:
            made = {"created": self.stage.payment, "completed": self.stage.completed}
            self._tell(f"supply {made[operation.supply]} {before + 1} {count}")
        return before

    def tend(self) -> None:
        """Seal transfers and fold counts, as the schedule does every few seconds."""
        self._tell("tend")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(START_SECONDS)

    def _tell(self, order: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{order}\n".encode())
        self.process.stdin.flush()
        self._answer()

    def _answer(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            sys.exit("What sets the stage has stopped; its last words stand above.")
        return line.decode()


@contextmanager
def production(directory: Path) -> Iterator["tuple[Stack, Postgres]"]:
    """Start PostgreSQL, with durable commits, and Redis, and migrate."""
    from tests.clusters import create_migrated
    from tests.postgres import Postgres
    from tests.redis import Redis
    from tests.webhooks.stack import Stack

    with ExitStack() as closing:
        postgres, redis = Postgres(directory / "postgresql", durable=True), Redis(directory)
        closing.callback(postgres.remove)
        closing.callback(redis.stop)
        create_migrated(postgres)
        postgres.start()
        redis.start()
        urls = {
            "DATABASE_URL": postgres.url,
            "CACHE_URL": f"redis://{redis.socket}",
            "CELERY_BROKER_URL": redis.broker_url,
        }
        stack = closing.enter_context(Stack(directory, migrated=True, **PRODUCTION, **urls))
        collected = stack.run("manage.py", "collectstatic", "--no-input", "--verbosity", "0")
        assert collected.wait() == 0, stack.words()
        yield stack, postgres


@contextmanager
def service_and_floor(directory: Path) -> Iterator[tuple[Side, Side]]:
    """Start the service as in docs/production.md, and the floor on the same database."""
    with production(directory) as (stack, postgres), Stagehand(stack) as stagehand:
        database = pid_of(postgres)
        stack.environment |= {"BENCH_STAGE": stagehand.text}
        service = serve(stack, "config.wsgi:application")
        floor = serve(stack, "bench.floor:application", awake="/empty")
        yield Side(service, database, stagehand), Side(floor, database, stagehand)


@contextmanager
def service_alone(directory: Path) -> Iterator[tuple[Side, "Stack"]]:
    """Start the service, with all its processes, as in docs/production.md."""
    with production(directory) as (stack, postgres), Stagehand(stack) as stagehand:
        for words in BACKGROUND:
            stack.run("-m", "celery", "--app", "config", *words)
        yield Side(serve(stack, "config.wsgi:application"), pid_of(postgres), stagehand), stack


@contextmanager
def embedded_and_service(directory: Path) -> Iterator[tuple[Side, Side]]:
    """Start the service as `make run` does, on SQLite, and as in production."""
    from tests.webhooks.stack import Stack

    with ExitStack() as closing:
        stack, postgres = closing.enter_context(production(directory))
        there = closing.enter_context(Stagehand(stack))
        (directory / "embedded").mkdir()
        alone = closing.enter_context(Stack(directory / "embedded", migrated=False, **EMBEDDED))
        here = closing.enter_context(Stagehand(alone))
        yield (
            Side(serve(alone, "config.wsgi:application", workers=1, threads=8), None, here),
            Side(serve(stack, "config.wsgi:application"), pid_of(postgres), there),
        )


def pid_of(postgres: "Postgres") -> int:
    assert postgres.process
    return postgres.process.pid


def serve(
    stack: "Stack",
    application: str,
    *,
    awake: str = "/healthz",
    workers: int = WORKERS,
    threads: int = THREADS,
) -> WebServer:
    """Start a web server, and request the path `awake` often enough to reach each process."""
    port = free_port()
    place = ["--http", "1", "--host", "127.0.0.1", "--port", str(port)]
    size = ["--workers", str(workers), "--blocking-threads", str(threads)]
    process = stack.run(
        "-m", "granian", "--interface", "wsgi", *place, *size, "--respawn-failed-workers",
        "--no-ws", application,
    )  # fmt: skip
    deadline = time.monotonic() + START_SECONDS
    while not is_listening(port):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"{application} did not start:\n{stack.words()}")
        time.sleep(0.05)
    for _ in range(4 * workers):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{awake}", timeout=START_SECONDS):
            pass
    return WebServer(f"http://127.0.0.1:{port}", process.pid)


def serve_as_deployed(stack: "Stack") -> WebServer:
    """Start `config.web` as in docs/production.md, and wait until each process has loaded."""
    port = free_port()
    stack.environment |= {"HOST": "127.0.0.1", "PORT": str(port)}
    process = stack.run("-m", "config.web")
    deadline = time.monotonic() + START_SECONDS
    while stack.log.read_text(errors="replace").count("Started worker-") < WORKERS:
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"config.web did not start:\n{stack.words()}")
        time.sleep(0.05)
    return WebServer(f"http://127.0.0.1:{port}", process.pid)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def is_listening(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its descendants, ended ones included."""
    fields = family_of(pid).values()
    return sum(sum(map(int, each[_UTIME : _CHILDREN_STIME + 1])) for each in fields) / _TICKS


def memory_mb(pid: int) -> float:
    """Return the memory of a process and its descendants; shared pages count proportionally."""
    held = 0
    for number in family_of(pid):
        with suppress(OSError):
            lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
            held += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return held / 1_024


def family_of(pid: int) -> dict[int, list[str]]:
    """Return the fields of /proc/<pid>/stat after the name, for a process and its descendants."""
    every: dict[int, list[str]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended meanwhile
            every[int(entry.parent.name)] = entry.read_text().rpartition(")")[2].split()
    family, before = {pid}, 0
    while len(family) > before:
        before = len(family)
        family |= {number for number, fields in every.items() if int(fields[_PPID]) in family}
    return {number: every[number] for number in family if number in every}
