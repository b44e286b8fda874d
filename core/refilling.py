"""A rate limit that refills steadily, one request at a time: an algorithm that the library lacks.

Stored per caller is the instant at which its bucket is full again, in microseconds. A bucket of 200
in two minutes admits 200 at once, and then one every 0.6 seconds.
"""

import threading
import time
from math import ceil
from typing import Any

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import MemoryStorage
from limits.strategies import RateLimiter
from limits.util import WindowStats

SECOND = 1_000_000  # microseconds

# Takes from the bucket KEYS[1] by Redis's clock. ARGV: its capacity, and this request's cost.
# Returns whether it held enough, and how long it takes to be full again.
_TAKE = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local missing = math.max((tonumber(redis.call('GET', KEYS[1])) or 0) - now, 0)
local wanted = missing + tonumber(ARGV[2])
if wanted > tonumber(ARGV[1]) then return {0, missing} end
if wanted > missing then
    redis.call('SET', KEYS[1], string.format('%.0f', now + wanted), 'PX', math.ceil(wanted / 1000))
end
return {1, wanted}
"""
_lock = threading.Lock()


class RefillingRateLimiter(RateLimiter):
    """Admits a burst of the whole amount, and then requests as the bucket refills."""

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        """Take from the bucket; return whether it held enough."""
        return self._take(item, identifiers, cost)[0]

    def test(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        """Return whether the bucket holds enough."""
        return self.get_window_stats(item, *identifiers).remaining >= cost

    def get_window_stats(self, item: RateLimitItem, *identifiers: str) -> WindowStats:
        """Return when one more request is available, and how many are now."""
        _, missing = self._take(item, identifiers, 0)
        remaining, part = divmod(_whole(item) - missing, _each(item))
        wait = _each(item) - part if missing else 0
        return WindowStats(time.time() + wait / SECOND, remaining)

    def _take(
        self, item: RateLimitItem, identifiers: tuple[str, ...], cost: int
    ) -> tuple[bool, int]:
        key, whole, wanted = item.key_for(*identifiers), _whole(item), cost * _each(item)
        if isinstance(self.storage, MemoryStorage):
            return _take_here(self.storage, key, whole, wanted)
        return _take_from_redis(self.storage, key, whole, wanted)


def _whole(item: RateLimitItem) -> int:
    return item.get_expiry() * SECOND


def _each(item: RateLimitItem) -> int:
    """Return how long one request takes to refill."""
    return _whole(item) // item.amount


def _take_here(storage: MemoryStorage, key: str, whole: int, wanted: int) -> tuple[bool, int]:
    with _lock:
        now = int(time.time() * SECOND)
        full_at = storage.get(key)
        missing = max(full_at - now, 0)
        if missing + wanted > whole:
            return False, missing
        if wanted:
            until = now + missing + wanted
            storage.incr(key, ceil(whole / SECOND), until - full_at)
            storage.expirations[key] = until / SECOND
        return True, missing + wanted


def _take_from_redis(storage: Any, key: str, whole: int, wanted: int) -> tuple[bool, int]:
    """Take from a bucket in Redis. Raises StorageError, as the library does."""
    try:
        done, missing = storage.get_connection().eval(
            _TAKE, 1, storage.prefixed_key(key), whole, wanted
        )
    except storage.base_exceptions as error:
        raise StorageError(error) from error
    return bool(done), int(missing)
