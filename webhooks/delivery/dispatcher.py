"""The dispatcher of this process: threads that send due deliveries, in lanes.

`send_due_deliveries` only wakes them: on a tick each second, on a wakeup after a commit, or when a
thread has finished while more is due. At the end of the process the threads finish their current
attempt; if it dies instead, their leases run out.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from django.db import DatabaseError, InterfaceError, close_old_connections

from core.database_away import log_failure
from core.database_clock import database_now
from core.task_runs import recorder
from webhooks.delivery.attempts import attempt
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import Claim, ClaimBatch, claim_due_deliveries, postpone, release
from webhooks.delivery.outcomes import record_result
from webhooks.delivery.write_batch import WriteBatch

logger = logging.getLogger(__name__)

THREADS = {Lane.QUICK: 40, Lane.NEW: 12, Lane.CAREFUL: 12}
# Seconds. Their sum is less than what a lease has left after the deadline.
RECORD_RETRY_SECONDS = (0.1, 0.5, 1, 2, 4, 8)

TICK = "send webhooks"  # its name in the schedule

Clock = Callable[[], datetime]


class Dispatcher:
    """Claims no more deliveries than its free threads can send at once."""

    def __init__(self, clock: Clock = database_now) -> None:
        self._clock = clock
        self._pools = {
            lane: ThreadPoolExecutor(count, thread_name_prefix=f"webhooks-{lane.value}")
            for lane, count in THREADS.items()
        }
        self._free = dict(THREADS)
        self._lock = threading.Lock()
        self._claiming = threading.Lock()
        self._is_woken: bool
        self._last: ClaimBatch

    def wake(self) -> int:
        """Claim and start attempts until nothing is due or no thread is free; return how many.

        One thread claims at a time; a second caller makes it check once more.
        """
        started = 0
        self._is_woken = True
        while self._is_woken and self._claiming.acquire(blocking=False):
            try:
                self._is_woken = False
                started += self._claim_and_start()
            finally:
                self._claiming.release()
        return started

    def _claim_and_start(self) -> int:
        with self._lock:
            free = dict(self._free)
        claims = claim_due_deliveries(free=free, now=self._clock())
        self._last = claims
        for claim in claims.taken:
            self._start(claim)
        return len(claims.taken)

    def _start(self, claim: Claim) -> None:
        with self._lock:
            self._free[claim.lane] -= 1
        try:
            self._pools[claim.lane].submit(self._run, claim)
        except RuntimeError:  # the process is ending
            self._free_thread(claim)
            release(claim)

    def _run(self, claim: Claim) -> None:
        close_old_connections()
        try:
            _attempt_and_keep_recording(claim)
        finally:
            self._free_thread(claim)
            self._claim_more(claim)
            close_old_connections()

    def _free_thread(self, claim: Claim) -> None:
        with self._lock:
            self._free[claim.lane] += 1

    def _claim_more(self, done: Claim) -> None:
        """Claim again if more was due for the endpoint or the lane that has become free."""
        last = self._last
        if done.delivery.webhook_id not in last.left and done.lane not in last.full_lanes:
            return
        try:
            self.wake()
        except (DatabaseError, InterfaceError) as error:
            log_failure(logger, "the next deliveries wait for the next tick", error)


def _attempt_and_keep_recording(claim: Claim) -> None:
    """Make the attempt and record it, retrying while the database restarts.

    If it stays away, the lease runs out, and the delivery is sent again.
    """
    result = attempt(claim)

    def record() -> None:
        if result is None:
            postpone(claim)
        else:
            record_result(claim, result)

    for pause in RECORD_RETRY_SECONDS:
        if _is_recorded(record, together=pause == RECORD_RETRY_SECONDS[0]):
            return
        time.sleep(pause)
    logger.error("attempt not recorded", extra={"delivery_id": claim.delivery.id})


def _is_recorded(record: Callable[[], None], *, together: bool) -> bool:
    try:
        if together:
            _write_batch.write(record)
        else:
            record()
    except (DatabaseError, InterfaceError) as error:
        log_failure(logger, "attempt not recorded yet", error)
        close_old_connections()
        return False
    return True


_write_batch = WriteBatch()
_dispatcher: Dispatcher | None = None
_starting = threading.Lock()


def send_due_deliveries() -> int:
    """Wake the dispatcher of this process; return how many attempts have started."""
    global _dispatcher
    with _starting:
        if _dispatcher is None:
            _dispatcher = Dispatcher()
    return _dispatcher.wake()


def dispatch_forever(*, every_seconds: float) -> None:
    """Wake the dispatcher regularly, whatever the state of the broker and the database."""
    while True:
        close_old_connections()
        try:
            send_due_deliveries()
            recorder.note(TICK, succeeded=True)
        except Exception as error:
            log_failure(logger, "due deliveries wait for the next tick", error)
            recorder.note(TICK, succeeded=False)
        recorder.write("dispatcher")
        close_old_connections()
        time.sleep(every_seconds)
