"""Concurrent requests: confirmations of one payment, and posts with one idempotency key."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from bench.rig import Rig
from bench.traders import PHONES, Trader

T = TypeVar("T")
CONFIRMATIONS, POSTS = 32, 20
KILLED_EVERY = 5


@dataclass
class Burst:
    """How many bursts were sent, how many had the right outcome, and the statuses seen."""

    wanted: int = 0
    right: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    @property
    def holds(self) -> bool:
        failed = [status for status in self.statuses if not 0 < status < 500]
        return self.wanted == self.right and not failed


def confirm_at_once(trader: Trader, payments: int) -> Burst:
    """Confirm each payment 32 times at once, with different keys: exactly one may succeed.

    What gets no answer is sent again with its key, as it may be the one.
    """
    burst = Burst(wanted=payments)
    for number in range(payments):
        payment = trader.post("/v1/payments", {"amount": 100})
        assert payment
        path = f"/v1/payments/{payment['id']}/confirm"
        text = json.dumps({"customer_phone": f"+1242425{number % PHONES:04}"})

        def confirm(each: int, path: str = path, text: str = text) -> int:
            key = f"{path}-{each}"
            status = trader.send(path, text, key)[0]
            found = None if status else trader.send_until_answered(path, text, key)
            return found[0] if found else status

        statuses = _at_once(confirm, CONFIRMATIONS)
        burst.statuses.update(statuses)
        burst.right += sum(1 for status in statuses if 200 <= status < 300) == 1
    return burst


def post_at_once(trader: Trader, rig: Rig, keys: int) -> Burst:
    """Post 20 times at once with each key, while web workers are killed: all get one answer."""
    burst = Burst(wanted=keys)
    text = json.dumps({"amount": 100})
    answers: list[int] = []
    for number in range(keys):

        def post(each: int, key: str = f"race-{number}") -> bytes:
            found = trader.send_until_answered("/v1/payments", text, key)
            answers.append(found[0] if found else 0)
            return found[1] if found and found[0] < 300 else f"none to {each}".encode()

        if number % KILLED_EVERY == 0:
            rig.kill_web_worker()
            rig.given["a web worker killed"] += 1
        burst.right += len(set(_at_once(post, POSTS))) == 1
    burst.statuses.update(answers)
    return burst


def _at_once(call: Callable[[int], T], count: int) -> list[T]:
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        barrier.wait(30)
        return call(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
