"""The text of an API key: prefix, 43 random base62 characters, 6 of checksum.

The checksum refuses a mistyped or truncated key without a query, and lets scanners for leaked
secrets tell our keys from noise. 256 random bits need no slow hash: SHA-256 is stored.
"""

import hashlib
import re
import zlib

from core.ids import base62, random_base62

LIVE_PREFIX = "sk_live_"
TEST_PREFIX = "sk_test_"
RANDOM_CHARACTERS = 43
CHECKSUM_CHARACTERS = 6
LAST_CHARACTERS = 4
KEY_CHARACTERS = len(LIVE_PREFIX) + RANDOM_CHARACTERS + CHECKSUM_CHARACTERS

_FORM = re.compile(
    rf"(?:{LIVE_PREFIX}|{TEST_PREFIX})[0-9A-Za-z]{{{RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}}"
)


def prefix_of(*, livemode: bool) -> str:
    """Return the prefix of keys of this mode."""
    return LIVE_PREFIX if livemode else TEST_PREFIX


def new_secret(*, livemode: bool) -> str:
    """Return a new key. It is shown once and never stored."""
    payload = prefix_of(livemode=livemode) + random_base62(RANDOM_CHARACTERS)
    return payload + _checksum(payload)


def is_well_formed(text: str) -> bool:
    """Return whether this has the form of a key, its checksum included."""
    if not _FORM.fullmatch(text):
        return False
    return text[-CHECKSUM_CHARACTERS:] == _checksum(text[:-CHECKSUM_CHARACTERS])


def digest(secret: str) -> str:
    """Return the SHA-256 of a key, which is what is stored and looked up."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _checksum(payload: str) -> str:
    return base62(zlib.crc32(payload.encode()), CHECKSUM_CHARACTERS)
