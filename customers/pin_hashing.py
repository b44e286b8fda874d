"""How a PIN is stored: Argon2id over an HMAC under a pepper that the database does not hold.

There are so few PINs that an attacker with the hashes could try them all within minutes; without
the pepper they can try none.
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
    """Hashes PINs. Obtained from `hashing()` only, which limits concurrency."""

    def hash(self, pin: str) -> str:
        """Return the hash of a PIN for storage."""
        return _argon2.hash(_peppered(pin))

    def matches(self, stored: str, pin: str) -> bool:
        """Return whether this is the PIN. An empty `stored` takes as long, and is False."""
        try:
            _argon2.verify(stored or _dummy_hash(), _peppered(pin))
        except VerifyMismatchError:
            return False
        return bool(stored)


@contextmanager
def hashing() -> Iterator[Hasher]:
    """Wait for one of the few hashing slots. Raises ServiceUnavailable on timeout.

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
def _dummy_hash() -> str:
    return _argon2.hash(secrets.token_bytes(32))
