"""The whole running service with its infrastructure, and the faults to inject into it."""

import http.client
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from bench.serving import is_listening
from bench.supervisor import Supervisor
from bench.surroundings import Cable, SmallDisk
from bench.windows import BEFORE, REDIS, Window, watch
from tests import template
from tests.clusters import create_migrated
from tests.postgres import Postgres
from tests.redis import Redis
from tests.webhooks.stack import ROOT, Stack

START_SECONDS = 300  # on a machine shared with others, a start can take minutes
WEB = ("-m", "config.web")
CELERY = ("-m", "celery", "--app", "config")
PRODUCTION_PARTS: dict[str, tuple[str, ...]] = {
    "web": WEB,
    "worker": (*CELERY, "worker", "-Q", "default", "-c", "2"),
    "dispatcher": (*CELERY, "worker", "-Q", "webhooks", "-P", "threads"),
    "beat": (*CELERY, "beat"),
}
EMBEDDED_PARTS: dict[str, tuple[str, ...]] = {"web": WEB, "worker": ("manage.py", "worker")}
ENVIRONMENT = {
    "GATHER_SECONDS": "5",
    "LOG_LEVEL": "INFO",
    # As in production, requests are charged; the clients' network never spends as much.
    "VISITOR_SECONDS_PER_NETWORK": "36000",
    "WEBHOOK_RETRY_SECONDS": "2,3,5,8,13,21",
    "WEBHOOK_TIMEOUT_SECONDS": "3",
}
# A small WAL, so that it soon needs another file when the disk is full.
POSTGRESQL = {"min_wal_size": "32MB", "max_wal_size": "48MB"}
AWAY_SECONDS, CUT_SECONDS, FULL_SECONDS, WRONG_SECONDS = 4.0, 2.0, 1.5, 2.0
# The faults to survive without a failed request, or to recover from within seconds.
MEASURED = (*REDIS, "PostgreSQL crashed")
# How long all parts must have run before requests are compared, and how long they then trade first.
SETTLED_SECONDS, CALM_SECONDS = 8.0, 4.0
CHANGES = "SELECT (SELECT count(*) FROM payments_paymenttransition) + count(*) FROM ledger_transfer"
# What a change of state takes on the disks, with all that is written because of it.
CHANGES_PER_MEGABYTE, CHANGES_PER_LOGGED_MEGABYTE = 60, 400
CLOCK_STEPS = (-7_200, -600, 600, 7_200)


@dataclass
class Rig:
    """The running system. `given` counts the faults, `windows` tells when they were."""

    stack: Stack
    disk: SmallDisk
    log_disk: SmallDisk
    wire: Cable
    chance: random.Random
    postgres: Postgres | None = None
    redis: Redis | None = None
    parts: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    given: Counter[str] = field(default_factory=Counter)
    windows: list[Window] = field(default_factory=list)
    started: dict[str, float] = field(default_factory=dict)

    @property
    def commands(self) -> dict[str, tuple[str, ...]]:
        return PRODUCTION_PARTS if self.postgres else EMBEDDED_PARTS

    @property
    def sender(self) -> str:
        """The part that calls merchants' servers."""
        return "dispatcher" if self.postgres else "worker"

    def rows(self, question: str) -> list[Any]:
        """Query the database directly, not through the service."""
        if self.postgres:
            return self._ask(self.postgres, question)
        with closing(sqlite3.connect(self.disk.place / "db.sqlite3", timeout=20)) as file:
            return list(file.execute(question))

    def _ask(self, postgres: Postgres, question: str) -> list[Any]:
        """Query PostgreSQL, which may still be recovering from the last fault."""
        address = f"host={postgres.directory} user=postgres connect_timeout=10"
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with psycopg.connect(address, autocommit=True) as connection:
                    return list(connection.execute(question.encode()))
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.5)

    @property
    def changes(self) -> int:
        """The number of changes of state so far."""
        [[count]] = self.rows(CHANGES)
        return int(count)

    def start(self, part: str) -> None:
        self.stack.environment["CLOCK_FILE"] = str(self._clock_of(part))
        within = self.wire.within if part == self.sender else ()
        self.parts[part] = self.stack.run(*self.commands[part], within=within)
        self.started[part] = time.monotonic()

    def give(self, name: str) -> None:
        """Inject a fault, and repair it."""
        if name in MEASURED:
            self.wait_until_answering()
        if name in REDIS:
            self.wait_until_settled()
            self._note(f"{BEFORE}{name}", lambda: time.sleep(CALM_SECONDS))
        self._note(name, self.faults()[name])
        self.given[name] += 1

    def _note(self, name: str, happen: Callable[[], None]) -> None:
        self.windows.append(watch(name, self.parts, happen))

    def faults(self) -> dict[str, Callable[[], None]]:
        """Return the faults that can be injected on this machine."""
        found: dict[str, Callable[[], None]] = {"a web worker killed": self.kill_web_worker}
        for part in self.commands:
            found[f"{part} killed"] = lambda part=part: self.kill(part)  # type: ignore[misc]
        found["a clock set"] = self.set_a_clock
        if self.redis:
            found |= {
                "Redis killed": self.kill_redis,
                "Redis frozen": self.freeze_redis,
                "Redis emptied": self.flush_redis,
            }
        if self.postgres:
            found["PostgreSQL crashed"] = self.crash_postgres
        if self.disk.is_real:
            found |= {
                "disk of the database full": lambda: self.fill(self.disk),
                "disk of the log full": lambda: self.fill(self.log_disk),
            }
        if self.wire.is_real:
            found["network cut"] = self.cut_the_wire
        return found

    def kill(self, part: str) -> None:
        """Kill all processes of a part; the supervisor restarts it."""
        with suppress(ProcessLookupError):  # it has just ended on its own
            self.stack.kill(self.parts[part])

    def kill_web_worker(self) -> None:
        """Kill one of the web server's workers, which it replaces.

        If it loses two within seconds it exits, and is restarted as a whole.
        """
        pid = self.parts["web"].pid
        with suppress(FileNotFoundError, ProcessLookupError):  # it is starting
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if children:
                os.kill(int(self.chance.choice(children)), signal.SIGKILL)

    def set_a_clock(self) -> None:
        """Set the clock of one part forward or back, and then right again."""
        file = self._clock_of(self.chance.choice(sorted(self.commands)))
        file.write_text(str(self.chance.choice(CLOCK_STEPS)))
        time.sleep(WRONG_SECONDS)
        file.write_text("0")

    def _clock_of(self, part: str) -> Path:
        return self.log_disk.place.parent / f"clock-{part}"

    def kill_redis(self) -> None:
        assert self.redis
        self.redis.stop()
        time.sleep(AWAY_SECONDS)
        self.redis.start()

    def freeze_redis(self) -> None:
        assert self.redis
        self.redis.freeze()
        time.sleep(AWAY_SECONDS)
        self.redis.thaw()

    def flush_redis(self) -> None:
        assert self.redis
        words = ["redis-cli", "-s", str(self.redis.socket), "FLUSHALL"]
        subprocess.run(words, check=True, capture_output=True, timeout=START_SECONDS)

    def crash_postgres(self) -> None:
        """Restart PostgreSQL without a clean shutdown, like `pg_ctl restart -m immediate`."""
        assert self.postgres
        self.postgres.stop(signal.SIGQUIT)
        self.postgres.start()

    def fill(self, disk: SmallDisk) -> None:
        disk.fill()
        time.sleep(FULL_SECONDS)
        disk.clear()
        if self.postgres and disk is self.disk:
            self._revive_postgres(self.postgres)

    def _revive_postgres(self, postgres: Postgres) -> None:
        """Restart PostgreSQL if it has shut down, as it does if there is no space for its WAL."""
        with suppress(RuntimeError):  # it exited during the wait
            postgres.wait_until_ready()
            return
        postgres.stop(signal.SIGQUIT)
        postgres.start()

    def cut_the_wire(self) -> None:
        self.wire.cut()
        time.sleep(CUT_SECONDS)
        self.wire.mend()

    def wait_until_answering(self) -> None:
        """Wait for the web server, so that its own restart does not cause the next failures."""
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert time.monotonic() < deadline, self.stack.words()
            time.sleep(0.1)

    def wait_until_settled(self) -> None:
        """Wait until no part has just started: a start takes seconds of CPU, and slows requests."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            last = max(*self.started.values(), *(window.ended for window in self.windows))
            if time.monotonic() - last >= SETTLED_SECONDS:
                break
            time.sleep(0.1)

    def _answers(self) -> bool:
        with suppress(OSError, http.client.HTTPException):
            return self.stack.get("/healthz").status == http.HTTPStatus.OK
        return False

    def wait_until_awake(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_listening(self.stack.port):
            assert time.monotonic() < deadline, self.stack.words()
            time.sleep(0.1)


@contextmanager
def standing(directory: Path, *, seed: int, embedded: bool, changes: int = 0) -> Iterator[Rig]:
    """Start databases, receiver and every part of the service, with room for so many changes."""
    with ExitStack() as stack:
        room, for_logs = changes // CHANGES_PER_MEGABYTE, changes // CHANGES_PER_LOGGED_MEGABYTE
        disk = SmallDisk(directory / "data", megabytes=512 + room)
        stack.callback(disk.close)
        log_disk = SmallDisk(directory / "logs", megabytes=64 + for_logs)
        stack.callback(log_disk.close)
        wire = stack.enter_context(Cable(directory / "received"))
        urls = {"DATABASE_URL": f"sqlite:///{disk.place}/db.sqlite3"}
        postgres = redis = None
        if not embedded:
            postgres, redis = Postgres(disk.place / "pg", durable=True), Redis(directory)
            stack.callback(postgres.remove)
            stack.callback(redis.stop)
            urls = _start(postgres, redis)
        migrated = not embedded or template.use(disk.place / "db.sqlite3")
        clock = {"PYTHONPATH": str(ROOT / "bench/clock"), "CLOCK_FILE": "/dev/null"}
        service = stack.enter_context(
            Stack(log_disk.place, migrated=migrated, **ENVIRONMENT, **urls, **clock)
        )
        service.environment |= {"PORT": str(service.port), "WEB_WORKERS": "1" if embedded else "2"}
        chance = random.Random(seed)  # noqa: S311  # replayable, no secret
        rig = Rig(service, disk, log_disk, wire, chance, postgres, redis)
        for part in rig.commands:
            rig.start(part)
        stack.enter_context(Supervisor(rig.parts, rig.start))
        rig.wait_until_awake()
        yield rig


def _start(postgres: Postgres, redis: Redis) -> dict[str, str]:
    postgres.options |= POSTGRESQL
    create_migrated(postgres)
    postgres.start()
    redis.start()
    return {
        "DATABASE_URL": postgres.url,
        "CACHE_URL": f"redis://{redis.socket}",
        "CELERY_BROKER_URL": redis.broker_url,
    }
