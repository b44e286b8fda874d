"""Retry work that the database rolled back in favour of another transaction."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import OperationalError, connection

_Result = TypeVar("_Result")

DEADLOCK = "40P01"
SERIALIZATION_FAILURE = "40001"
MAX_ATTEMPTS = 3
MAX_PAUSE_SECONDS = 0.05


def retry_on_deadlock(work: Callable[[], _Result]) -> _Result:
    """Do the work, which is one transaction; retry it if it was the victim of a deadlock.

    Inside a transaction it is done once: only the outer transaction can be retried there.
    """
    for _ in range(MAX_ATTEMPTS - 1):
        if connection.in_atomic_block:
            break
        try:
            return work()
        except OperationalError as error:
            if not was_rolled_back(error):
                raise
        time.sleep(random.uniform(0, MAX_PAUSE_SECONDS))  # noqa: S311  # no secret
    return work()


def was_rolled_back(error: OperationalError) -> bool:
    """Return whether the database rolled this transaction back in favour of another."""
    return getattr(error.__cause__, "sqlstate", None) in (DEADLOCK, SERIALIZATION_FAILURE)
