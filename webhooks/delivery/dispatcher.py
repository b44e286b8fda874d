"""The senders of this process: threads that deliver what is due, in lanes.

Whoever calls `send_due_deliveries` only wakes them: a tick each second, a nudge after a commit, or
a sender that has finished while more is due. At the end of the process the threads finish the
attempt they are at; if it dies instead, their leases run out.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from django.db import DatabaseError, InterfaceError, close_old_connections

from webhooks.database_clock import database_now
from webhooks.delivery.attempts import attempt
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import Claim, Claims, claim_due, release
from webhooks.delivery.outcomes import record_answer
from webhooks.delivery.write_batch import Gathering

logger = logging.getLogger(__name__)

THREADS = {Lane.QUICK: 40, Lane.NEW: 12, Lane.CAREFUL: 12}
# Seconds; together they are shorter than what a lease has left after the deadline.
RECORD_PAUSES = (0.1, 0.5, 1, 2, 4, 8)

Clock = Callable[[], datetime]


class Sender:
    """Claims no more than its free threads can send at once."""

    def __init__(self, clock: Clock = database_now) -> None:
        self._clock = clock
        self._pools = {
            lane: ThreadPoolExecutor(count, thread_name_prefix=f"webhooks-{lane.value}")
            for lane, count in THREADS.items()
        }
        self._free = dict(THREADS)
        self._lock = threading.Lock()
        self._claiming = threading.Lock()
        self._is_woken = False
        self._last = Claims([], frozenset(), frozenset())

    def wake(self) -> int:
        """Claim and begin to send until nothing due is left or nobody is free; return how many.

        One thread claims at a time; who finds another at it leaves it word to look again.
        """
        begun = 0
        self._is_woken = True
        while self._is_woken and self._claiming.acquire(blocking=False):
            try:
                self._is_woken = False
                begun += self._claim_and_begin()
            finally:
                self._claiming.release()
        return begun

    def _claim_and_begin(self) -> int:
        with self._lock:
            free = dict(self._free)
        claims = claim_due(free=free, now=self._clock())
        self._last = claims
        for claim in claims.taken:
            self._begin(claim)
        return len(claims.taken)

    def _begin(self, claim: Claim) -> None:
        with self._lock:
            self._free[claim.lane] -= 1
        try:
            self._pools[claim.lane].submit(self._run, claim)
        except RuntimeError:  # the process is ending
            self._done(claim)
            release(claim)

    def _run(self, claim: Claim) -> None:
        close_old_connections()
        try:
            _deliver(claim)
        finally:
            self._done(claim)
            self._go_on(claim)
            close_old_connections()

    def _done(self, claim: Claim) -> None:
        with self._lock:
            self._free[claim.lane] += 1

    def _go_on(self, done: Claim) -> None:
        """Claim again where something waited for what has just ended."""
        last = self._last
        if done.delivery.webhook_id not in last.left and done.lane not in last.crowded:
            return
        try:
            self.wake()
        except (DatabaseError, InterfaceError):
            logger.warning("the next deliveries wait for the next tick", exc_info=True)


def _deliver(claim: Claim) -> None:
    """Make the attempt and record it, with patience for a database that restarts.

    Where it stays away, the lease runs out, and the delivery is made again.
    """
    answer = attempt(claim)

    def record() -> None:
        record_answer(claim, answer)

    for pause in RECORD_PAUSES:
        if _is_written(record, together=pause == RECORD_PAUSES[0]):
            return
        time.sleep(pause)
    logger.error("attempt not recorded", extra={"delivery_id": claim.delivery.id})


def _is_written(record: Callable[[], None], *, together: bool) -> bool:
    try:
        if together:
            _gathering.write(record)
        else:
            record()
    except (DatabaseError, InterfaceError):
        logger.warning("attempt not recorded yet", exc_info=True)
        close_old_connections()
        return False
    return True


_gathering = Gathering()
_sender: Sender | None = None
_starting = threading.Lock()


def send_due_deliveries() -> int:
    """Wake the senders of this process; return how many deliveries have begun."""
    global _sender
    with _starting:
        if _sender is None:
            _sender = Sender()
    return _sender.wake()


def send_for_ever(*, every_seconds: float) -> None:
    """Wake the senders again and again, whatever the broker and the database are doing."""
    while True:
        close_old_connections()
        try:
            send_due_deliveries()
        except Exception:
            logger.warning("what is due waits for the next turn", exc_info=True)
        close_old_connections()
        time.sleep(every_seconds)
