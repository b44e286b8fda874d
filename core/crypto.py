"""Secrets at rest: Fernet under `ENCRYPTION_KEY`; a comma-separated list of keys rotates it."""

from functools import lru_cache

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


@lru_cache
def _cipher(keys: str) -> MultiFernet:
    return MultiFernet([Fernet(key.strip()) for key in keys.split(",")])


def encrypt(text: str) -> str:
    """Encrypt a secret for storage, under the first of the keys."""
    return _cipher(settings.ENCRYPTION_KEY).encrypt(text.encode()).decode()


def decrypt(token: str) -> str:
    """Read back a stored secret that any of the keys encrypted."""
    return _cipher(settings.ENCRYPTION_KEY).decrypt(token.encode()).decode()
