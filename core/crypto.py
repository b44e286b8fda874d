"""Secrets at rest: Fernet under `ENCRYPTION_KEY`, which may list several keys, newest first.

The first key encrypts; any of them decrypts. `core.key_register` knows which are still needed.

A secret is bound to its place, which `core.sealed` names. Its IV, which Fernet leaves to the
writer, is an HMAC of place and text; its timestamp, which Fernet authenticates and no one reads,
marks it as bound. So any release can read the token, and one copied elsewhere is refused.
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

UNBOUND = b""  # no place: for a secret that may be read anywhere
# How a bound token begins: Fernet's version, and a timestamp in 2106, beyond any real clock.
_BOUND = b"\x80" + (1 << 32).to_bytes(8, "big")
_IV_END = len(_BOUND) + 16


class EncryptionKeyMissing(ServiceUnavailable):
    """None of our keys decrypts a stored secret, which is not the caller's fault."""


class SecretMisplaced(ServiceUnavailable):
    """A stored secret is not the one that was written in its place."""


@dataclass(frozen=True)
class DecryptedSecret:
    """A decrypted secret: the place of its key (0 is the first), its text, its IV if bound."""

    position: int
    text: bytes
    binding: bytes | None

    def is_bound_to(self, place: bytes) -> bool:
        """Return whether it was bound to this place."""
        key = _keys(settings.ENCRYPTION_KEY)[self.position]
        return hmac.compare_digest(self.binding or b"", key.binding(place, self.text))


def encrypt(text: str, place: bytes = UNBOUND) -> str:
    """Encrypt a secret for storage, under the first key, bound to its place.

    Released migrations pass no place.
    """
    [key, *_] = _keys(settings.ENCRYPTION_KEY)
    if place == UNBOUND:
        return key.fernet.encrypt(text.encode()).decode()
    return key.encrypt(text.encode(), place)


def decrypt(token: str, place: bytes = UNBOUND) -> str:
    """Decrypt a secret with any of the keys, refusing one that was written to another place.

    An unbound secret predates binding and is read unless BOUND_SECRETS_ONLY. Raises
    EncryptionKeyMissing, SecretMisplaced.
    """
    found = try_decrypt(token)
    if found is None:
        logger.error("secret not decrypted: no key of ENCRYPTION_KEY reads it")
        raise EncryptionKeyMissing
    if place == UNBOUND or (found.binding is None and not settings.BOUND_SECRETS_ONLY):
        return found.text.decode()
    if not found.is_bound_to(place):
        what = "bound to another row" if found.binding else "not bound to any row"
        logger.error("secret refused: it is %s", what, extra={"place": place.decode()})
        raise SecretMisplaced
    return found.text.decode()


def try_decrypt(token: str) -> DecryptedSecret | None:
    """Decrypt a stored secret and return what is known of it; None if no key decrypts it."""
    for position, key in enumerate(_keys(settings.ENCRYPTION_KEY)):
        try:
            text = key.fernet.decrypt(token.encode())
        except InvalidToken:
            continue
        head = base64.urlsafe_b64decode(token)[:_IV_END]
        return DecryptedSecret(
            position, text, head[len(_BOUND) :] if head.startswith(_BOUND) else None
        )
    return None


def keys_of(text: str) -> list[str]:
    """Return the keys that a setting lists, newest first."""
    return [key.strip() for key in text.split(",")]


class _Key:
    """A Fernet key, and a key derived from it for binding secrets to their places."""

    def __init__(self, key: str) -> None:
        self.fernet = Fernet(key)
        whole = base64.urlsafe_b64decode(key)
        self._signing, self._encryption = whole[:16], whole[16:]
        self._binding = hmac.digest(whole, b"secrets bound to their places", hashlib.sha256)

    def binding(self, place: bytes, text: bytes) -> bytes:
        """Return the IV of a text in a place: it reveals nothing, and takes the key to compute."""
        head = len(place).to_bytes(8, "big") + place
        digest = hmac.new(self._binding, head, hashlib.sha256)
        digest.update(text)
        return digest.digest()[: _IV_END - len(_BOUND)]

    def encrypt(self, text: bytes, place: bytes) -> str:
        """Return a token as Fernet specifies it, with the IV and the timestamp that bind it."""
        iv, padder = self.binding(place, text), PKCS7(AES.block_size).padder()
        encryptor = Cipher(AES(self._encryption), CBC(iv)).encryptor()
        padded = padder.update(text) + padder.finalize()
        parts = _BOUND + iv + encryptor.update(padded) + encryptor.finalize()
        digest = hmac.digest(self._signing, parts, hashlib.sha256)
        return base64.urlsafe_b64encode(parts + digest).decode()


@lru_cache
def _keys(text: str) -> list[_Key]:
    return [_Key(key) for key in keys_of(text)]
