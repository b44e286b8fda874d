"""Passwords of staff: which are refused, how they are hashed, compared and replaced.

Anyone can have a password hashed by signing in under a made-up name: few are hashed at once, each
with bounded memory and time. A password is replaced only if it is still the one that was read:
hashing takes long, and an Administrator may close or reset the account in the meantime, or withdraw
its invitation, which takes the e-mail address.
"""

import re

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password
from django.contrib.auth.models import AbstractBaseUser, User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from core.concurrency import ConcurrencyLimit

# Words that anyone associates with this service, beside those of its own name.
OWN_WORDS = ("administrator", "admin", "checkout", "finance", "payments", "payment", "password",
             "secret", "staff", "support", "wallet", "welcome")  # fmt: skip
LEFT_CHARACTERS = 8
PASSWORDS_AT_ONCE = 2
WAIT_SECONDS = 5

_slots = ConcurrencyLimit(PASSWORDS_AT_ONCE)


class OwnWordsValidator:
    """Refuses a password that is little more than the service's own words."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raise ValidationError if too little is left without these words."""
        rest = password.lower()
        for word in (*re.findall(r"\w{4,}", settings.SERVICE_NAME.lower()), *OWN_WORDS):
            rest = rest.replace(word, "")
        if len(rest) < LEFT_CHARACTERS:
            raise ValidationError(self.get_help_text(), code="password_own_words")

    def get_help_text(self) -> str:
        return "Your password must be more than words of this service and a few digits."


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


def is_password(user: User, password: str) -> bool:
    """Return whether it is the user's password; an outdated hash is replaced.

    Django's own check would overwrite whatever is stored by then: a password that was removed in
    the meantime would be back.
    """
    read = user.password

    def renew(password: str) -> None:
        user.set_password(password)
        if not replace_password(user, read):
            user.password = read

    return check_password(password, read, renew)


def replace_password(user: User, read: str) -> bool:
    """Store the hash that `user` has now, if the account is still as it was read."""
    return bool(_as_read(user, read).update(password=user.password))


def lock_account(user: User) -> bool:
    """Lock an account; return whether it is open, with the password and address that were read."""
    return _as_read(user, user.password).select_for_update(no_key=True).exists()


def _as_read(user: User, read: str) -> QuerySet[User]:
    return User.objects.filter(pk=user.pk, is_active=True, password=read, email=user.email)
