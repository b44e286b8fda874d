"""How a PIN is stored: Argon2id over an HMAC under a pepper that the database does not hold.

There are so few PINs that an attacker with the hashes could try them all within minutes; without
the pepper they can try none. A new pepper replaces an older one when the PIN is next entered.
"""

import hashlib
import hmac
import logging
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from django.db import connection

from core.errors import ServiceUnavailable
from core.key_register import peppers

logger = logging.getLogger(__name__)

HASHES_AT_ONCE = 4  # each takes 19 MiB and a core
WAIT_SECONDS = 5

_argon2 = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_slots = threading.BoundedSemaphore(HASHES_AT_ONCE)


class Hasher:
    """Hashes PINs. Obtained from `hashing_slot()` only, which limits concurrency."""

    def matches(self, stored: str, pin: str, pepper_id: str) -> bool:
        """Return whether this is the PIN. An empty `stored` takes as long, and returns False.

        A hash without the id of its pepper is tried under each of them.
        """
        known = peppers()
        candidates = known.values() if stored and not pepper_id else [known[pepper_id]]
        return any(_verifies(stored, _peppered(pin, pepper)) for pepper in candidates)

    def columns(self, pin: str) -> dict[str, str]:
        """Return the columns for a PIN: its hash under the newest pepper, and the id of that."""
        pepper_id = newest_pepper()
        hashed = _argon2.hash(_peppered(pin, peppers()[pepper_id]))
        return {"pin_hash": hashed, "pin_pepper": pepper_id}

    def renewed(self, pin: str, pepper_id: str) -> dict[str, str]:
        """Return the columns of a right PIN under the newest pepper, if it has another one."""
        return {} if pepper_id == newest_pepper() else self.columns(pin)


@contextmanager
def hashing_slot() -> Iterator[Hasher]:
    """Wait for one of the few hashing slots. Raises ServiceUnavailable on timeout.

    Raises RuntimeError inside a transaction, which would hold its locks for all that time.
    """
    # What a durable block checks, but without a transaction, for which SQLite queues writers.
    if not all(getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
        raise RuntimeError("A hash takes too long for a transaction: what it counts is durable.")
    if not _slots.acquire(timeout=WAIT_SECONDS):
        raise ServiceUnavailable
    try:
        yield Hasher()
    finally:
        _slots.release()


def newest_pepper() -> str:
    """Return the id of the pepper for new PINs."""
    return next(iter(peppers()))


def refuse_missing_pepper(stored: str, pepper_id: str) -> None:
    """Raise ServiceUnavailable if a PIN cannot be checked, before that counts as an attempt."""
    if stored and pepper_id and pepper_id not in peppers():
        logger.error("PIN not checked: its pepper is missing", extra={"pepper_id": pepper_id})
        raise ServiceUnavailable


def _verifies(stored: str, peppered: bytes) -> bool:
    try:
        _argon2.verify(stored or _dummy_hash(), peppered)
    except VerifyMismatchError:
        return False
    return bool(stored)


def _peppered(pin: str, pepper: str) -> bytes:
    return hmac.digest(pepper.encode(), b"pin:" + pin.encode(), hashlib.sha256)


@lru_cache
def _dummy_hash() -> str:
    return _argon2.hash(secrets.token_bytes(32))
