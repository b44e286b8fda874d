"""Secrets at rest: Fernet under `ENCRYPTION_KEY`, of which several may stand there, newest first.

What is encrypted is under the first; any of them reads. `core.key_register` knows which are needed.
"""

import logging
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from core.errors import ServiceUnavailable

logger = logging.getLogger(__name__)

NO_KEY = -1


class EncryptionKeyMissing(ServiceUnavailable):
    """No key of ours reads a stored secret, which is no fault of the caller."""


def encrypt(text: str) -> str:
    """Encrypt a secret for storage, under the first of the keys."""
    return _ciphers(settings.ENCRYPTION_KEY)[0].encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Read back a stored secret that any of the keys encrypted. Raises EncryptionKeyMissing."""
    try:
        return MultiFernet(_ciphers(settings.ENCRYPTION_KEY)).decrypt(token.encode()).decode()
    except InvalidToken:
        logger.error("secret not decrypted: no key of ENCRYPTION_KEY reads it")
        raise EncryptionKeyMissing from None


def position_of_key(token: str) -> int:
    """Return which key encrypted a secret: 0 the first, which it should be, or NO_KEY."""
    for position, cipher in enumerate(_ciphers(settings.ENCRYPTION_KEY)):
        try:
            cipher.decrypt(token.encode())
        except InvalidToken:
            continue
        return position
    return NO_KEY


def keys_of(text: str) -> list[str]:
    """Return the keys that a variable lists, newest first."""
    return [key.strip() for key in text.split(",")]


@lru_cache
def _ciphers(keys: str) -> list[Fernet]:
    return [Fernet(key) for key in keys_of(keys)]
