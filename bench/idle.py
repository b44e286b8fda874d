"""What a service costs without any request: `python -m bench.idle [--seconds 60]`.

It starts PostgreSQL, Redis, web server, worker, dispatcher and beat as in production, waits until
they have started up, and then measures for so many seconds the CPU of each as a share of one
core, its memory, and per minute the tasks that beat sent, the commands that Redis ran, and the
transactions and new connections of PostgreSQL. At the end, which goals hold.
"""

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import redis

from bench.endings import end_in_order
from bench.output import say
from bench.serving import BACKGROUND, cpu_seconds, memory_mb, pid_of, production, serve_as_deployed

SETTLED_SECONDS = 240  # each process has had its first tasks by then
NAMES = ("worker", "dispatcher", "beat")
MOST_SHARE = 0.005  # of a core
ROW = "{:<12} {:>8} {:>8}"


@dataclass(frozen=True)
class ServerCounts:
    """What the servers have counted since their start."""

    messages: int
    commands: int
    commits: int
    connections: int


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        with production(Path(directory)) as (stack, postgres):
            broker = redis.Redis.from_url(
                stack.environment["CACHE_URL"].replace("redis", "unix", 1)
            )
            pids = {"PostgreSQL": pid_of(postgres), "Redis": broker.info()["process_id"]}
            pids["web"] = serve_as_deployed(stack).pid
            for name, words in zip(NAMES, BACKGROUND, strict=True):
                pids[name] = stack.run("-m", "celery", "--app", "config", *words).pid
            time.sleep(SETTLED_SECONDS)
            measure(pids, broker, stack.environment["DATABASE_URL"], seconds)


def measure(pids: Mapping[str, int], broker: redis.Redis, database: str, seconds: float) -> None:
    """Print the table, and which goals hold."""
    counted, started = _count(broker, database), time.monotonic()
    used = {name: cpu_seconds(pid) for name, pid in pids.items()}
    time.sleep(seconds)
    took = time.monotonic() - started
    shares = {name: (cpu_seconds(pid) - used[name]) / took for name, pid in pids.items()}
    since = _count(broker, database)
    say(ROW.format("", "% of core", "MB"))
    for name, share in shares.items():
        say(ROW.format(name, f"{share:.2%}", f"{memory_mb(pids[name]):.0f}"))
    for what in ("messages", "commands", "commits", "connections"):
        per_minute = (getattr(since, what) - getattr(counted, what)) * 60 / took
        say(f"{what} a minute: {per_minute:.0f}")
    for name in NAMES:
        holds = "holds" if shares[name] < MOST_SHARE else "NO"
        say(f"idle {name}: {shares[name]:.2%}, goal < {MOST_SHARE:.1%}, {holds}")


def _count(broker: redis.Redis, database: str) -> ServerCounts:
    calls = broker.info("commandstats")
    commands = sum(each["calls"] for each in calls.values())
    with psycopg.connect(database, autocommit=True) as connection:
        row = connection.execute(
            "SELECT xact_commit, sessions FROM pg_stat_database WHERE datname = current_database()"
        ).fetchone()
    assert row
    return ServerCounts(calls.get("cmdstat_lpush", {"calls": 0})["calls"], commands, *row)


if __name__ == "__main__":
    main()
