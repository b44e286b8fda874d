"""API keys that were read moments ago, so that a busy caller's requests need no query each.

A process keeps what it has read for one second, and forgets it at once when it changes a key or a
merchant itself. The expiry of a key is checked with every request.
"""

from datetime import datetime, timedelta
from functools import cache
from threading import Lock

from django.db import transaction

from core.prepared import Placeholder, Prepared
from merchants.keys import digest, is_well_formed
from merchants.models import ApiKey

KEPT_FOR = timedelta(seconds=1)
MOST_KEPT = 1_000


class _KnownKeys:
    """Keys with their merchants by the SHA-256 of their secrets, and when each was read."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[datetime, ApiKey]] = {}
        self._since = object()  # replaced with each change
        self._lock = Lock()

    def find(self, secret: str, at: datetime) -> ApiKey | None:
        """Return the key as it was less than `KEPT_FOR` ago; None if there is none."""
        hashed = digest(secret)
        known = self._read.get(hashed)
        if known is not None and timedelta(0) <= at - known[0] < KEPT_FOR:
            return known[1]
        return self._look_up(hashed, at) if is_well_formed(secret) else None

    def forget(self) -> None:
        with self._lock:
            self._since = object()
            self._read.clear()

    def _look_up(self, hashed: str, at: datetime) -> ApiKey | None:
        since = self._since
        for key in _of_hash().rows(hash=hashed):
            self._keep(hashed, at, key, since)
            return key
        return None

    def _keep(self, hashed: str, at: datetime, key: ApiKey, since: object) -> None:
        """Keep what was read, unless something changed meanwhile; the oldest makes room."""
        with self._lock:
            if since is not self._since:
                return
            self._read.pop(hashed, None)
            if len(self._read) >= MOST_KEPT:
                del self._read[next(iter(self._read))]
            self._read[hashed] = (at, key)


@cache
def _of_hash() -> Prepared[ApiKey]:
    """Return the look-up by hash: prepared, as anyone may send wrong keys, and each needs one."""
    return Prepared(ApiKey.objects.select_related("merchant").filter(hash=Placeholder("hash")))


_known = _KnownKeys()
find_key = _known.find


def forget_keys() -> None:
    """Forget what this process knows of keys, which the caller's transaction has changed.

    Again when it commits: until then, others still read and cache the old state.
    """
    _known.forget()
    transaction.on_commit(_known.forget)
