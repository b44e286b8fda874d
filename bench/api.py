"""Measure the API's throughput relative to a minimal "floor" on the same machine, in turns.

`python -m bench.api` starts PostgreSQL, Redis and granian as in production, and the floor next to
them (`bench.floor`); `--embedded` compares the service on SQLite with the service on PostgreSQL.
`--only read,create --seconds 2` is quick. CPU time is per request.
"""

import argparse
import statistics
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.endings import end_in_order
from bench.load import Result, measure
from bench.operations import BY_NAME, FLOORS, Operation
from bench.output import say
from bench.serving import Side, embedded_and_service, service_and_floor

# The requests per second for which payments are prepared.
MOST_PER_SECOND = 2_500
SPREAD = 4
EMBEDDED_SHARE, EMBEDDED_SPREAD = 0.5, 5
WARM_UP_SECONDS = 3
ROW = "{:14} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>11} {:>6} {:>11} {:>6} {:>8}"
HEAD = ("", "per s", "p50 ms", "p99 ms", "CPU ms", "DB ms", "floor/s", "ratio", "mark / aim",
        "holds", "p99 / p50", "holds", "floor's")  # fmt: skip


@dataclass(frozen=True)
class Measurement:
    """The medians of all rounds, for an operation and its floor."""

    operation: Operation
    ours: Result
    floor: Result

    @property
    def ratio(self) -> float:
        return self.ours.per_second / self.floor.per_second


def main() -> None:
    chosen = arguments()
    end_in_order()
    start = embedded_and_service if chosen.embedded else service_and_floor
    with TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        with start(Path(directory)) as (ours, floor):
            outcomes = rounds(chosen, ours, floor)
    say(ROW.format(*HEAD))
    for outcome in outcomes:
        say(ROW.format(*row_of(outcome, embedded=chosen.embedded)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedded", action="store_true", help="SQLite, beside PostgreSQL")
    parser.add_argument("--only", default="", help=f"of {', '.join(BY_NAME)}; commas between")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="length of each measurement")
    chosen = parser.parse_args()
    known = {name: one for name, one in BY_NAME.items() if not (chosen.embedded and one.is_bare)}
    names = [name.strip() for name in chosen.only.split(",") if name.strip()] or list(known)
    if unknown := set(names) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    chosen.operations = [known[name] for name in names]
    return chosen


def rounds(chosen: argparse.Namespace, ours: Side, floor: Side) -> list[Measurement]:
    """Measure each operation and its floor alternately, once per round."""
    found: dict[str, tuple[list[Result], list[Result]]] = {}
    for number in range(chosen.rounds + 1):
        for operation in chosen.operations:
            partner = operation if chosen.embedded else FLOORS[operation.floor]
            pair = found.setdefault(operation.name, ([], []))
            side_of_it = floor if operation.is_bare else ours
            turns = ((side_of_it, operation, pair[0]), (floor, partner, pair[1]))
            for side, what, results in turns:
                seconds = chosen.seconds if number else WARM_UP_SECONDS
                result = measure(side, what, seconds=seconds, most=seconds * MOST_PER_SECOND)
                if number:
                    results.append(result)
        sys.stderr.write(f"round {number} of {chosen.rounds}\n" if number else "warm\n")
    return [
        Measurement(operation, *map(median_of, found[operation.name]))
        for operation in chosen.operations
    ]


def median_of(results: list[Result]) -> Result:
    every = [asdict(result) for result in results]
    return Result(**{name: statistics.median(one[name] for one in every) for name in every[0]})


def row_of(outcome: Measurement, *, embedded: bool) -> list[str]:
    ours, operation = outcome.ours, outcome.operation
    first, aim = operation.first_mark, operation.aim
    if embedded:
        first = aim = EMBEDDED_SHARE if operation.name == "create" else None
    most = EMBEDDED_SPREAD if embedded else SPREAD
    spread = ours.p99 / ours.p50
    return [
        operation.name,
        f"{ours.per_second:,.0f}",
        *(f"{number:.1f}" for number in (ours.p50, ours.p99)),
        *(f"{number:.2f}" for number in (ours.server_cpu, ours.database_cpu)),
        f"{outcome.floor.per_second:,.0f}",
        f"{outcome.ratio:.2f}",
        f"{first:.2f} / {aim:.2f}" if first and aim else "-",
        reached(outcome.ratio, first, aim),
        f"{spread:.1f} <= {most}",
        "yes" if spread <= most else "no",
        f"{outcome.floor.p99 / outcome.floor.p50:.1f}",
    ]


def reached(ratio: float, first_mark: float | None, aim: float | None) -> str:
    """Return whether the ratio to the floor has reached its aim, its first mark, or neither."""
    if first_mark is None or aim is None:
        return "-"
    if ratio >= aim:
        return "yes"
    return "mark" if ratio >= first_mark else "no"


if __name__ == "__main__":
    main()
