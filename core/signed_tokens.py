"""Signed session tokens: made-up ones are told from ours without a look-up.

The signature grants nothing, and a session from before it works without one. It only says which
tokens are worth a database query when queries must be earned: anyone may send as many made-up ones
as they like.
"""

import hmac
from base64 import urlsafe_b64encode
from functools import lru_cache

from django.conf import settings

SIGNATURE_CHARACTERS = 16  # 96 bits
_SALT = b"core.signed_tokens:"


def sign_token(token: str) -> str:
    """Return a token with our signature appended."""
    return token + _signature(token, settings.SECRET_KEY)


def is_signed_token(token: str) -> bool:
    """Return whether a token bears our signature, under the current key or an earlier one."""
    bare, signature = (
        token[:-SIGNATURE_CHARACTERS],
        token[-SIGNATURE_CHARACTERS:].encode(errors="replace"),
    )
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return any(hmac.compare_digest(_signature(bare, it).encode(), signature) for it in secrets)


def _signature(token: str, secret: str) -> str:
    digest = hmac.digest(_key(secret), token.encode(errors="replace"), "sha256")
    return urlsafe_b64encode(digest).decode()[:SIGNATURE_CHARACTERS]


@lru_cache
def _key(secret: str) -> bytes:
    """Return a key for this purpose alone, as `SECRET_KEY` serves several."""
    return hmac.digest(secret.encode(), _SALT, "sha256")
