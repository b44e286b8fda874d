"""Several calls at the same instant, each in a thread with a database connection of its own."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections, transaction

from core.errors import ApiError

T = TypeVar("T")
WAIT_SECONDS = 30


def at_once(calls: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Make all the calls together; return what each returned or raised, in their order."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T | Exception:
        try:
            barrier.wait(WAIT_SECONDS)
            return call()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def outcomes(results: Iterable[object]) -> Counter[str]:
    """Count successes and codes; anything unexpected is raised."""
    counted: Counter[str] = Counter()
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, ApiError):
            raise result
        counted[result.code if isinstance(result, ApiError) else "done"] += 1
    return counted


def wait_for_a_waiter() -> None:
    """Return once another connection waits for a lock."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            # A transaction sees what it saw first, until it lets go of that.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            if cursor.fetchall() != [(0,)]:
                return
        time.sleep(0.01)
    raise TimeoutError


def held_up(first: Callable[[], object], then: Callable[[], T]) -> T | Exception:
    """Commit `first` once `then` waits for a lock of it; return what `then` returned or raised."""
    has_begun = threading.Event()

    def do_first() -> None:
        with transaction.atomic():
            first()
            has_begun.set()
            wait_for_a_waiter()

    def do_then() -> T:
        assert has_begun.wait(WAIT_SECONDS)
        return then()

    calls: list[Callable[[], T | None]] = [do_first, do_then]
    failure, done = at_once(calls)
    assert failure is None, failure
    return done  # type: ignore[return-value]  # that of `then`
