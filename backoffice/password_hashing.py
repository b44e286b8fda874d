"""Hash the passwords of staff: few at once, each with bounded memory and time.

Anyone can have a password hashed by signing in under a made-up name.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher

from core.concurrency import ConcurrencyLimit

PASSWORDS_AT_ONCE = 2
WAIT_SECONDS = 5

_slots = ConcurrencyLimit(PASSWORDS_AT_ONCE)


class BoundedArgon2(Argon2PasswordHasher):
    """Argon2id with 46 MiB in one thread. Raises ConcurrencyLimitReached after a wait."""

    time_cost = 1
    memory_cost = 46 * 1024
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        with _slots.hold(wait_seconds=WAIT_SECONDS):
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _slots.hold(wait_seconds=WAIT_SECONDS):
            return bool(super().verify(password, encoded))
