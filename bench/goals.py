"""The fifteen goals of the service: goal, measured value, and whether it holds."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.bursts import CONFIRMATIONS, POSTS, Burst
from bench.promises import Findings
from bench.traders import Exchange
from bench.windows import BEFORE, REDIS

SQLITE_GOAL = "SQLite: 0 requests locked out; p99 <= 300 ms before faults"
# The goals that a run of faults does not measure, and where they are measured.
ELSEWHERE = {
    "G6": ("healthy endpoints beside hostile ones p99 <= 2 s", "tests/webhooks/test_lanes.py"),
    "G8": ("0 of 50,000 fuzzed requests answered 5xx", "make night"),
    "G9": ("100,000 steps of the ledger's model, 0 divergences", "make night"),
    "G10": ("0 connections to forbidden addresses", "tests/webhooks/test_ssrf.py"),
    "G11": ("every route to a stranger: 401 or 404", "tests/merchants/test_every_route.py"),
    "G12": ("64 wrong PINs at once: at most 5 are checked", "tests/customers/test_pins.py"),
    "G14": ("one merchant keeps 60 % of spread throughput", "python -m bench.hot"),
    "G15": ("each item of ASVS levels 1 and 2 has its test", "tests/test_asvs.py"),
}


@dataclass(frozen=True)
class Goal:
    """One line of the table; `holds` is None if this run does not measure it."""

    name: str
    goal: str
    measured: str
    holds: bool | None

    def __str__(self) -> str:
        word = {True: "holds", False: "NO", None: ""}[self.holds]
        return f"{self.name:4} {self.goal:58} {self.measured:64} {word}"


@dataclass(frozen=True)
class Stretch:
    """An interval, in seconds of the monotonic clock."""

    began: float
    ended: float

    def __contains__(self, instant: float) -> bool:
        return self.began <= instant < self.ended


@dataclass(frozen=True)
class Quiet:
    """The stretches without faults in which a few clients traded, and in which all did."""

    few: Stretch
    all: Stretch


def table(
    found: Findings, broken: dict[str, object], confirmed: Burst, raced: Burst, quiet: Quiet
) -> list[Goal]:
    """Return all fifteen, in order."""
    measured = [
        _invariants(found, broken),
        _burst("G2", f"{CONFIRMATIONS} confirmations at once complete one payment", confirmed),
        _burst("G3", f"{POSTS} posts at once under a key, web killed: same bytes", raced),
        _events(found),
        _first_attempts(found, quiet.few),
        *_availability(found, quiet.all),
    ]
    measured += [
        Goal(name, goal, f"see {where}", None) for name, (goal, where) in ELSEWHERE.items()
    ]
    return sorted(measured, key=lambda goal: int(goal.name[1:]))


def _invariants(found: Findings, broken: dict[str, object]) -> Goal:
    given = found.rig.given
    kills = sum(count for name, count in given.items() if "killed" in name)
    wrong = [name for name, what in broken.items() if what]
    text = f"{len(wrong)} broken; {found.changes} changes, {kills} kills, {given.total()} faults"
    return Goal("G1", "0 broken promises", text, not wrong)


def _burst(name: str, goal: str, burst: Burst) -> Goal:
    text = f"{burst.right} of {burst.wanted}; answers {dict(sorted(burst.statuses.items()))}"
    return Goal(name, goal, text, burst.holds)


def _events(found: Findings) -> Goal:
    share = found.repeated / max(1, len(found.events))
    text = f"{found.lost} of {len(found.events)} lost, {share:.2%} repeated"
    return Goal("G4", "0 events lost, at most 1 % repeated", text, not found.lost and share <= 0.01)


def _first_attempts(found: Findings, quiet: Stretch) -> Goal:
    """Measure the time from the request to the arrival of its event at the receiver."""
    first: dict[str, float] = {}
    for each in found.received:
        first.setdefault(each.headers["webhook-id"], each.at)
    waits = [
        first[event] - instant
        for event, made in found.events.items()
        if event in first and _monotonic(instant := _epoch(made)) in quiet
    ]
    p50, p99 = percentile(waits, 50), percentile(waits, 99)
    text = f"p50 {p50 * 1_000:.0f} ms, p99 {p99:.2f} s ({len(waits)} events)"
    goal = "request to first attempt p50 <= 150 ms, p99 <= 1 s"
    return Goal("G5", goal, text, p50 <= 0.15 and p99 <= 1)


def _availability(found: Findings, quiet: Stretch) -> list[Goal]:
    attempts = found.transcript.exchanges
    undisturbed = [each.seconds for each in attempts if each.sent_at in quiet]
    before = percentile(undisturbed, 99)
    if not found.rig.redis:
        conflicts = sum(1 for each in attempts if each.status == 409)
        text = (
            f"{conflicts} locked of {len(attempts)}; "
            f"p50 {percentile(undisturbed, 50) * 1_000:.0f}, p99 {before * 1_000:.0f} ms"
        )
        holds = not conflicts and before <= 0.3
        return [Goal("G13", SQLITE_GOAL, text, holds)]
    redis, is_met = _without_redis(found)
    longest = max(_until_answered(found), default=None)
    back = "not measured" if longest is None else f"{longest:.2f} s at most"
    goal = "Redis away: 0 failed, p99 +20 ms; database back: <= 2 s"
    return [
        Goal(
            "G7",
            goal,
            f"{redis}; database back: {back}",
            _both(is_met, None if longest is None else longest <= 2),
        ),
        Goal("G13", SQLITE_GOAL, "see --embedded", None),
    ]


def _both(*halves: bool | None) -> bool | None:
    """Return whether all halves of a goal hold; None if none fails, but one was not measured."""
    return None if None in halves and False not in halves else all(halves)


def _without_redis(found: Findings) -> tuple[str, bool | None]:
    """Compare the requests sent while Redis is away with those of the calm seconds before it.

    The CPU time of the whole service for each request tells the noise of other work apart.
    """
    (calm, used), (away, spent) = (
        _during(found, tuple(f"{before}{name}" for name in REDIS)) for before in (BEFORE, "")
    )
    if not calm or not away:
        return "Redis away: not measured", None
    failed = sum(1 for each in away if not 0 < each.status < 500)
    before, during = (percentile([each.seconds for each in part], 99) for part in (calm, away))
    text = (
        f"{failed} of {len(away)} failed, "
        f"p99 {before * 1_000:.0f} {(during - before) * 1_000:+.0f} ms (of {len(calm)} before); "
        f"CPU {_each(used, calm):.1f} -> {_each(spent, away):.1f} ms a request"
    )
    return text, not failed and during - before <= 0.02


def _during(found: Findings, names: tuple[str, ...]) -> tuple[list[Exchange], float]:
    """Return the requests sent in the windows of these names, and the CPU seconds of these."""
    windows = [window for window in found.rig.windows if window.name in names]
    sent = [
        each
        for each in found.transcript.exchanges
        if any(each.sent_at in window for window in windows)
    ]
    return sent, sum(window.cpu_seconds for window in windows)


def _each(seconds: float, requests: list[Exchange]) -> float:
    """Return milliseconds for each request."""
    return 1_000 * seconds / max(1, len(requests))


def _until_answered(found: Findings) -> Iterable[float]:
    """Yield, for each restart of PostgreSQL, the seconds until the first success."""
    for window in found.rig.windows:
        if window.name == "PostgreSQL crashed":
            yield from sorted(
                each.sent_at + each.seconds - window.ended
                for each in found.transcript.exchanges
                if each.sent_at + each.seconds >= window.ended and each.status in (200, 201)
            )[:1]  # none if it was the last fault


def percentile(values: list[float], percent: int) -> float:
    """Return a percentile of the values; 0 if there are none."""
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)] if values else 0.0


def _epoch(made: datetime | str) -> float:
    instant = datetime.fromisoformat(made) if isinstance(made, str) else made
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()


def _monotonic(instant: float) -> float:
    """Convert an instant of the wall clock to the monotonic clock."""
    return instant - time.time() + time.monotonic()
