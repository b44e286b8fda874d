"""Several calls at the same instant, each in a thread with a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

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
