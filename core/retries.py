"""Work that the database broke off for another's sake, and that may be done again."""

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
    """Do the work, which is one transaction; do it again where it was the victim of a deadlock.

    Inside a transaction it is done once: what is broken off there can only end as a whole.
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
    """Say whether the database undid one transaction so that others can go on."""
    return getattr(error.__cause__, "sqlstate", None) in (DEADLOCK, SERIALIZATION_FAILURE)
