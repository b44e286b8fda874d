"""How a PIN is kept: Argon2id over an HMAC under a pepper that the database does not hold.

There are so few PINs that whoever has the hashes can try them all within minutes; without the
pepper they can try none.
"""

import hashlib
import hmac
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from django.conf import settings
from django.db import connection

from core.errors import ServiceUnavailable

HASHES_AT_ONCE = 4  # each takes 19 MiB and a core
WAIT_SECONDS = 5

_argon2 = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_slots = threading.BoundedSemaphore(HASHES_AT_ONCE)


class Hasher:
    """Hashes PINs. Had from `hashing()` only, so that few do it at a time."""

    def hash(self, pin: str) -> str:
        """Return what may be stored of a PIN."""
        return _argon2.hash(_peppered(pin))

    def matches(self, stored: str, pin: str) -> bool:
        """Say whether this is the PIN. Against an empty `stored` takes as long, and says no."""
        try:
            _argon2.verify(stored or _nobodys_hash(), _peppered(pin))
        except VerifyMismatchError:
            return False
        return bool(stored)


@contextmanager
def hashing() -> Iterator[Hasher]:
    """Wait for one of the few places to hash at. Raises ServiceUnavailable after a while.

    Raises RuntimeError inside a transaction, which would hold its locks for all that time.
    """
    # As a durable block would, but without a transaction, for which SQLite queues its writers.
    if not all(getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
        raise RuntimeError("A hash takes too long for a transaction: what it counts is durable.")
    if not _slots.acquire(timeout=WAIT_SECONDS):
        raise ServiceUnavailable
    try:
        yield Hasher()
    finally:
        _slots.release()


def _peppered(pin: str) -> bytes:
    return hmac.digest(settings.PIN_PEPPER.encode(), b"pin:" + pin.encode(), hashlib.sha256)


@lru_cache
def _nobodys_hash() -> str:
    return _argon2.hash(secrets.token_bytes(32))
