"""Bearer tokens, stored as a hash only."""

import hashlib

from core.ids import random_base62

TOKEN_CHARACTERS = 43  # 256 bits


def new_token() -> str:
    """Return an unguessable token."""
    return random_base62(TOKEN_CHARACTERS)


def hash_of(token: str) -> str:
    """Return the stored form of a token: with 256 bits, one round of SHA-256 is enough."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
