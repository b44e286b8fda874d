"""Bearer tokens, stored as a hash only."""

import hashlib

from core.ids import random_base62

TOKEN_CHARACTERS = 43  # 256 bits
HANDLE_CHARACTERS = 16


def new_token() -> str:
    """Return an unguessable token."""
    return random_base62(TOKEN_CHARACTERS)


def hash_of(token: str) -> str:
    """Return the stored form of a token: with 256 bits, one round of SHA-256 is enough."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def handle_of(text: str) -> str:
    """Return what a page calls a row: the row's number would tell how many others there are."""
    return hash_of(text)[:HANDLE_CHARACTERS]
