"""Break the running service in every available way, then prove that nothing was lost.

`python -m bench.faults --seed 7 --minutes 2`: web server, worker, dispatcher and beat on
PostgreSQL and Redis, 16 clients, and a webhook receiver; `--embedded`: web server and worker on
SQLite. The same seed draws the same faults in the same order, and the same requests. As root it
also fills disks and cuts the network. `--only Redis`: the faults with this word in their name.
`--changes 100000`: round after round, until that many changes of state were made. After each round
it tells how far it is. It ends on its own, and exits 1 if a promise was broken, or if it was
abandoned before that; if it is interrupted or terminated, it ends what it started.
"""

import argparse
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.bursts import confirm_at_once, post_at_once
from bench.endings import end_in_order
from bench.goals import Goal, Quiet, Stretch, table
from bench.promises import broken_promises, broken_so_far, settle
from bench.rig import Rig, standing
from bench.serving import START_SECONDS
from bench.traders import Trader, Transcript

CLIENTS, FEW = 16, 2
# The embedded service is for a shop: eight write at once.
EMBEDDED_CLIENTS = 8
HOOK = "/say/200/faults"
# How long a few clients trade, then all, before the first fault; each warm-up is not counted.
FEW_SECONDS, ALL_SECONDS, WARM_SECONDS = 12, 8, 2
EMBEDDED_ALL_SECONDS = 60
SECONDS_PER_BURST, FEWEST_BURSTS = 6, 3
# Time for start-up, and for the faults of the first round if the given time is too short.
SLACK_SECONDS = 600
# On a machine so slow that it makes fewer, a run of `--changes` is abandoned.
FEWEST_CHANGES_A_SECOND = 50
PAUSE_SECONDS = (0.3, 1.5)


@dataclass(frozen=True)
class StageTimeouts:
    """Seconds after which a stage is abandoned, and anything unfinished counts as failed.

    `settle` counts from the last time that something has finished.
    """

    trade: float
    repeat: float = 600
    settle: float = 120
    proof: float = 300


@dataclass(frozen=True)
class Outcome:
    """The broken promises, the fifteen goals, the number of faults by name, how many requests were
    repeated and got the same answer, and how many changes of state were made.
    """

    broken: dict[str, object]
    goals: list[Goal]
    given: dict[str, int]
    repeated: int
    changes: int


def run(
    *,
    seed: int,
    seconds: float,
    timeouts: StageTimeouts,
    clients: int = CLIENTS,
    all_seconds: float = 0,
    embedded: bool = False,
    bursts: int = 0,
    changes: int = 0,
    only: str = "",
) -> Outcome:
    """Break the service for so many seconds, with each fault at least once; return the outcome.

    `changes`: until so many changes of state were made, if that takes longer. `only`: the faults
    with this word in their name. `all_seconds`: how
    long all clients trade before the first fault; 0: `ALL_SECONDS`. `bursts`: how many payments are
    confirmed many times at once, and half as many keys posted so; 0: as many as there is time for.
    """
    transcript = Transcript(ends=time.monotonic() + timeouts.trade)
    directory = Path(tempfile.mkdtemp(prefix="payments-faults-"))
    directory.chmod(0o711)
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, directory, ignore_errors=True)
        rig = closing.enter_context(
            standing(directory, seed=seed, embedded=embedded, changes=changes)
        )
        rig.stack.register(rig.wire.receiver.url(HOOK))
        rig.stack.pay()
        rig.wire.receiver.wait_for(HOOK, 1, seconds=START_SECONDS)
        traders = [
            Trader(number, seed, rig.stack.port, rig.stack.key, transcript)
            for number in range(clients)
        ]
        quiet = _break(rig, traders, seconds, all_seconds, changes, only)
        transcript.ends = time.monotonic() + timeouts.repeat + bursts  # a second for each
        fitting = max(FEWEST_BURSTS, int(seconds / SECONDS_PER_BURST))
        _tell(f"The faults are over. Now {bursts or fitting} payments confirmed at once …")
        confirmed = confirm_at_once(traders[0], bursts or fitting)
        raced = post_at_once(traders[0], rig, bursts // 2 or fitting)
        _tell(f"… {len(transcript.answers):,} requests repeated …")
        _repeat_all(traders, transcript)
        _tell("… unfinished work waited for, and everything proven.")
        found = settle(rig, transcript, timeout_seconds=timeouts.settle)
        broken = broken_promises(found, proof_seconds=timeouts.proof)
        goals = table(found, broken, confirmed, raced, quiet)
        return Outcome(broken, goals, dict(rig.given), len(transcript.same), rig.changes)


def _break(
    rig: Rig, traders: list[Trader], seconds: float, all_seconds: float, changes: int, only: str
) -> Quiet:
    """Trade for so many seconds while injecting faults; return the quiet stretches before that.

    First a few clients trade, to measure requests and events without queueing. Then all do: on
    SQLite their requests are measured, too.
    """
    names = sorted(name for name in rig.faults() if only in name)
    if not names:
        raise SystemExit(f"No fault that can be injected here has {only!r} in its name.")
    quiet = Quiet(
        _trade(traders[:FEW], FEW_SECONDS), _trade(traders[FEW:], all_seconds or ALL_SECONDS)
    )
    began = time.monotonic()
    ends = began + seconds
    order: list[str] = []
    while time.monotonic() < ends or len(rig.given) < len(names) or rig.changes < changes:
        if time.monotonic() > traders[0].transcript.ends:
            break
        if not order:
            rig.wait_until_answering()  # where a start takes long, most faults would hit nothing
            order = rig.chance.sample(names, len(names))  # each once, in random order
        rig.give(order.pop())
        time.sleep(rig.chance.uniform(*PAUSE_SECONDS))
        if not order:
            _tell(f"{time.monotonic() - began:.0f} s: {_progress(rig, traders[0].transcript)}")
    for trader in traders:
        trader.over.set()
    for trader in traders:
        trader.join()
    return quiet


def _progress(rig: Rig, transcript: Transcript) -> str:
    wrong = {name: found for name, found in broken_so_far(rig, transcript).items() if found}
    done = f"{rig.changes:,} changes of state, {rig.given.total()} faults"
    return f"{done}, {f'BROKEN so far: {wrong}' if wrong else 'no promise broken so far'}"


def _tell(words: str) -> None:
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def _trade(traders: list[Trader], seconds: float) -> Stretch:
    """Start these traders too; return the stretch of so many seconds after their warm-up."""
    for trader in traders:
        trader.start()
    time.sleep(WARM_SECONDS)
    began = time.monotonic()
    time.sleep(seconds)
    return Stretch(began, time.monotonic())


def _repeat_all(traders: list[Trader], transcript: Transcript) -> None:
    """Repeat the request of every answered key, as far as there is time."""
    with ThreadPoolExecutor(len(traders)) as pool:
        list(pool.map(traders[0].repeat, sorted(transcript.answers)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--embedded", action="store_true", help="on SQLite, without a broker")
    parser.add_argument("--changes", type=int, default=0, help="make at least so many")
    parser.add_argument("--bursts", type=int, default=0, help="payments confirmed 32 times at once")
    parser.add_argument("--only", default="", metavar="WORD", help="faults with this word")
    options = parser.parse_args()
    end_in_order()
    seconds = 60 * options.minutes
    slowest = options.changes / FEWEST_CHANGES_A_SECOND
    timeouts = StageTimeouts(
        trade=SLACK_SECONDS + 2 * seconds + slowest, repeat=600 + slowest, proof=300 + slowest
    )
    outcome = run(
        seed=options.seed,
        seconds=seconds,
        timeouts=timeouts,
        clients=EMBEDDED_CLIENTS if options.embedded else CLIENTS,
        all_seconds=EMBEDDED_ALL_SECONDS if options.embedded else 0,
        embedded=options.embedded,
        bursts=options.bursts,
        changes=options.changes,
        only=options.only,
    )
    for promise, measured in outcome.broken.items():
        sys.stdout.write(f"{'BROKEN' if measured else 'kept  '}  {promise}: {measured or 'none'}\n")
    sys.stdout.write("\n".join(["", *map(str, outcome.goals), ""]))
    sys.stdout.write(f"\nseed {options.seed}: {outcome.given}; {outcome.repeated} repeated\n")
    too_few = outcome.changes < options.changes
    sys.exit(1 if any(outcome.broken.values()) or too_few else 0)


if __name__ == "__main__":
    main()
