"""Hash the passwords of staff: few at once, each with bounded memory and time.

Anyone can have a password hashed by signing in under a made-up name.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth.hashers import Argon2PasswordHasher

from core.errors import ServiceUnavailable

PASSWORDS_AT_ONCE = 2
WAIT_SECONDS = 5

_slots = threading.BoundedSemaphore(PASSWORDS_AT_ONCE)


class BoundedArgon2(Argon2PasswordHasher):
    """Argon2id with 46 MiB in one thread. Raises ServiceUnavailable if none is free for long."""

    time_cost = 1
    memory_cost = 46 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with _slot():
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _slot():
            return bool(super().verify(password, encoded))


@contextmanager
def _slot() -> Iterator[None]:
    if not _slots.acquire(timeout=WAIT_SECONDS):
        raise ServiceUnavailable
    try:
        yield
    finally:
        _slots.release()
