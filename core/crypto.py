"""Secrets at rest: Fernet under `ENCRYPTION_KEY`, of which several may stand there, newest first.

What is encrypted is under the first; any of them reads. `core.key_register` knows which are needed.

A secret is bound to its place, which `core.sealed` names: its IV, which Fernet leaves to who
writes, is an HMAC of place and text, and its time, which Fernet authenticates and no one reads,
says that it is. So any release reads the token, and one that was copied elsewhere is refused.
"""

import base64
import hashlib
import hmac
import logging
from dataclasses import dataclass
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7
from django.conf import settings

from core.errors import ServiceUnavailable

logger = logging.getLogger(__name__)

UNBOUND = b""  # no place: of a secret that is read wherever it stands
# How a bound one begins: Fernet's version, and an instant of 2106, which no clock has told yet.
_BOUND = b"\x80" + (1 << 32).to_bytes(8, "big")
_IV_END = len(_BOUND) + 16


class EncryptionKeyMissing(ServiceUnavailable):
    """No key of ours reads a stored secret, which is no fault of the caller."""


class SecretMisplaced(ServiceUnavailable):
    """A stored secret is not the one that was written to its place."""


@dataclass(frozen=True)
class Opened:
    """A secret that a key reads: which one, 0 the first; its text; its IV, None if not bound."""

    position: int
    text: bytes
    binding: bytes | None

    def stands_in(self, place: bytes) -> bool:
        """Return whether it was bound to this place."""
        key = _keys(settings.ENCRYPTION_KEY)[self.position]
        return hmac.compare_digest(self.binding or b"", key.binding(place, self.text))


def encrypt(text: str, place: bytes = UNBOUND) -> str:
    """Encrypt a secret for storage, under the first of the keys, bound to its place.

    Released migrations name none.
    """
    [key, *_] = _keys(settings.ENCRYPTION_KEY)
    if place == UNBOUND:
        return key.fernet.encrypt(text.encode()).decode()
    return key.encrypt(text.encode(), place)


def decrypt(token: str, place: bytes = UNBOUND) -> str:
    """Read back a secret that any of the keys encrypted, where it was written.

    One that is not bound is from before secrets were, and read unless BOUND_SECRETS_ONLY. Raises
    EncryptionKeyMissing, SecretMisplaced.
    """
    found = opened(token)
    if found is None:
        logger.error("secret not decrypted: no key of ENCRYPTION_KEY reads it")
        raise EncryptionKeyMissing
    if place == UNBOUND or (found.binding is None and not settings.BOUND_SECRETS_ONLY):
        return found.text.decode()
    if not found.stands_in(place):
        what = "bound to another row" if found.binding else "not bound to any row"
        logger.error("secret refused: it is %s", what, extra={"place": place.decode()})
        raise SecretMisplaced
    return found.text.decode()


def opened(token: str) -> Opened | None:
    """Return a stored secret, and what is known of it; None where no key reads it."""
    for position, key in enumerate(_keys(settings.ENCRYPTION_KEY)):
        try:
            text = key.fernet.decrypt(token.encode())
        except InvalidToken:
            continue
        head = base64.urlsafe_b64decode(token)[:_IV_END]
        return Opened(position, text, head[len(_BOUND) :] if head.startswith(_BOUND) else None)
    return None


def keys_of(text: str) -> list[str]:
    """Return the keys that a variable lists, newest first."""
    return [key.strip() for key in text.split(",")]


class _Key:
    """A Fernet key, and a key derived from it for what binds its secrets."""

    def __init__(self, key: str) -> None:
        self.fernet = Fernet(key)
        whole = base64.urlsafe_b64decode(key)
        self._signing, self._encryption = whole[:16], whole[16:]
        self._binding = hmac.digest(whole, b"secrets bound to their places", hashlib.sha256)

    def binding(self, place: bytes, text: bytes) -> bytes:
        """Return the IV of a text in a place: it gives nothing away, and no one else can tell."""
        head = len(place).to_bytes(8, "big") + place
        digest = hmac.new(self._binding, head, hashlib.sha256)
        digest.update(text)
        return digest.digest()[: _IV_END - len(_BOUND)]

    def encrypt(self, text: bytes, place: bytes) -> str:
        """Return a token of the Fernet specification, of an IV and a time that bind it."""
        iv, padder = self.binding(place, text), PKCS7(AES.block_size).padder()
        encryptor = Cipher(AES(self._encryption), CBC(iv)).encryptor()
        padded = padder.update(text) + padder.finalize()
        parts = _BOUND + iv + encryptor.update(padded) + encryptor.finalize()
        digest = hmac.digest(self._signing, parts, hashlib.sha256)
        return base64.urlsafe_b64encode(parts + digest).decode()


@lru_cache
def _keys(text: str) -> list[_Key]:
    return [_Key(key) for key in keys_of(text)]
