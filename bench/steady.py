"""Check that the service runs as well after ten minutes of load as after one.

`python -m bench.steady [--minutes 10] [--share 0.7]` starts PostgreSQL, Redis, granian, worker,
dispatcher and beat as in production, finds the maximum rate for a mix of requests, and sends that
share of it. Every half minute it prints requests per second, p50 and p99, the memory of the web
server and of the other processes, and the number of database connections; at the end, which goals
hold.
"""

import argparse
import statistics
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from bench.endings import end_in_order
from bench.load import CONNECTIONS, Sent, mixed, script_of, send
from bench.operations import BY_NAME
from bench.output import say
from bench.serving import BACKGROUND, THREADS, WORKERS, Side, memory_mb, service_alone

SLICE_SECONDS, PEAK_SECONDS = 30, 10
PACED = 64  # connections, each of which pauses between a response and its next request
MOST_PER_SECOND = 1_000  # of one operation
OPERATIONS = ("create", "read", "confirm", "list", "status poll", "create", "read", "balance",
              "checkout page", "QR image")  # fmt: skip
# The last third of the slices relative to the first; and the total of connections.
P99_SHARE, MEMORY_SHARE = 1.5, 1.05
MOST_CONNECTIONS = WORKERS * (THREADS + 2) + len(BACKGROUND) * 6
ROW = "{:>7} {:>7} {:>7} {:>7} {:>7} {:>10} {:>12}"
HEAD = ("seconds", "per s", "p50 ms", "p99 ms", "web MB", "others MB", "connections")


@dataclass(frozen=True)
class Slice:
    """The figures of half a minute: milliseconds, megabytes, database connections."""

    p50: float
    p99: float
    web: float
    others: float
    connections: int


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--share", type=float, default=0.7, help="of the most it can answer")
    chosen = parser.parse_args()
    with TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        with service_alone(Path(directory)) as (side, stack):
            others = [process.pid for process in stack.running if process.pid != side.server.pid]
            most = max(_send(side, PEAK_SECONDS).per_second for _ in range(2))
            say(f"at most {most:.0f}/s with {CONNECTIONS} connections; {chosen.share:.0%} of it:")
            rate = most * chosen.share
            say(ROW.format(*HEAD))
            found: list[Slice] = []
            for number in range(1, 1 + round(chosen.minutes * 60 / SLICE_SECONDS)):
                answered = found[-1].p50 if found else 0
                sent = _send(side, SLICE_SECONDS, pause=round(1_000 * PACED / rate - answered))
                found.append(_slice(side, sent, others, stack.environment["DATABASE_URL"]))
                first, *rest = astuple(found[-1])
                cells = [f"{sent.per_second:.0f}", f"{first:.1f}", *(f"{it:.0f}" for it in rest)]
                say(ROW.format(number * SLICE_SECONDS, *cells))
    judge(found)


def _send(side: Side, seconds: int, *, pause: int = 0) -> Sent:
    """Send the mix, as fast as possible or with a pause in milliseconds after each response."""
    scripts = []
    for name in OPERATIONS:
        operation = BY_NAME[name]
        most = seconds * MOST_PER_SECOND // len(OPERATIONS)
        before = side.stagehand.prepare(operation, most)
        scripts.append(script_of(operation, side.stagehand.stage, before))
    connections = PACED if pause else CONNECTIONS
    return send(side, mixed(scripts, pause=pause), seconds=seconds, connections=connections)


def _slice(side: Side, sent: Sent, others: Sequence[int], database: str) -> Slice:
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        ).fetchone()
    held = sum(map(memory_mb, others))
    return Slice(sent.p50, sent.p99, memory_mb(side.server.pid), held, row[0] if row else 0)


def judge(found: Sequence[Slice]) -> None:
    """Compare the last third of the slices with the first, skipping the first minute."""
    counted = found[60 // SLICE_SECONDS :] or found
    third = max(1, len(counted) // 3)

    def grown(value: Callable[[Slice], float]) -> float:
        last, first = (
            statistics.median(map(value, part)) for part in (counted[-third:], counted[:third])
        )
        return last / first

    for name, share, goal in (
        ("p99", grown(lambda it: it.p99), P99_SHARE),
        ("memory of the web server", grown(lambda it: it.web), MEMORY_SHARE),
        ("memory of the others", grown(lambda it: it.others), MEMORY_SHARE),
        ("connections", max(it.connections for it in found), MOST_CONNECTIONS),
    ):
        say(f"{name}: {share:.2f}, goal <= {goal}, {'holds' if share <= goal else 'NO'}")


if __name__ == "__main__":
    main()
