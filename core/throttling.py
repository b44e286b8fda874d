"""Rate limits; those of merchants' and customers' requests are off unless `RATE_LIMITS`.

The algorithms and their storage are the library's, except for the one that refills.

All processes share one count in Redis. Without Redis, or while it does not answer, each process
counts for itself: a limit protects the service and must not become its weakest part.
"""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, Storage
from limits.strategies import (
    FixedWindowRateLimiter,
    MovingWindowRateLimiter,
    RateLimiter,
    SlidingWindowCounterRateLimiter,
)

from core.errors import RateLimited
from core.refilling import RefillingRateLimiter

logger = logging.getLogger(__name__)

REDIS_TIMEOUT_SECONDS = 0.2
REDIS_SLOW_SECONDS = 0.02
REDIS_PAUSE_SECONDS = 10


@dataclass(frozen=True)
class RateLimit:
    """A number of requests per window of time, counted by an algorithm of the library."""

    name: str
    item: RateLimitItem
    algorithm: type[RateLimiter]

    @property
    def policy(self) -> str:
        return f'"{self.name}";q={self.item.amount};w={self.item.get_expiry()}'


# 100 a minute with a burst of 200: that many at once, then one every 0.6 seconds.
MERCHANT_LIMITS = (
    RateLimit("burst", RateLimitItemPerMinute(200, 2), RefillingRateLimiter),
    RateLimit("hour", RateLimitItemPerHour(10_000), SlidingWindowCounterRateLimiter),
)
ADDRESS_LIMITS = (RateLimit("address", RateLimitItemPerMinute(200, 2), RefillingRateLimiter),)
REPORT_LIMIT = RateLimit("report", RateLimitItemPerMinute(30), FixedWindowRateLimiter)


def consume(limits: Sequence[RateLimit], caller: str) -> dict[str, str]:
    """Count one request of the caller; return the RateLimit headers of its answer.

    Raises RateLimited, with Retry-After, if one of the limits is exhausted.
    """
    return consume_always(limits, caller) if settings.RATE_LIMITS else {}


def consume_registration(network: str) -> dict[str, str]:
    """Count a registration from a network, always; return the headers as `consume` does.

    Raises RateLimited, with Retry-After.
    """
    most = settings.REGISTRATIONS_PER_NETWORK
    if not most:
        return {}
    limit = RateLimit("registration", RateLimitItemPerHour(most), MovingWindowRateLimiter)
    return consume_always((limit,), f"registration {network}")


def count_within(limit: RateLimit, caller: str) -> bool:
    """Count one of a stranger's unsolicited reports; return whether it is within the limit.

    Always on. Each process counts for itself, so that none can make the others wait.
    """
    return limit.algorithm(_memory()).hit(limit.item, caller)


def consume_always(limits: Sequence[RateLimit], caller: str) -> dict[str, str]:
    """Count as `consume` does, whether or not limits are on. Raises RateLimited."""
    if _redis.is_usable():
        try:
            with _redis.storage() as storage:
                return _consume(storage, limits, caller)
        except StorageError:
            _redis.pause()
    return _consume(_memory(), limits, caller)


def _consume(storage: Storage, limits: Sequence[RateLimit], caller: str) -> dict[str, str]:
    policy = ", ".join(limit.policy for limit in limits)
    for limit in limits:
        if not limit.algorithm(storage).hit(limit.item, caller):
            raise _refusal(storage, limit, policy, caller)
    remaining, seconds = _state(storage, limits[0], caller)
    return _headers(limits[0], policy, remaining, seconds)


def _refusal(storage: Storage, limit: RateLimit, policy: str, caller: str) -> RateLimited:
    seconds = max(1, _state(storage, limit, caller)[1])
    error = RateLimited.retry_in(seconds)
    error.headers |= _headers(limit, policy, 0, seconds)
    return error


def _state(storage: Storage, limit: RateLimit, caller: str) -> tuple[int, int]:
    """Return how many requests remain, and in how many seconds more are available."""
    stats = limit.algorithm(storage).get_window_stats(limit.item, caller)
    seconds = math.ceil(stats.reset_time - time.time())
    return max(0, stats.remaining), min(max(0, seconds), limit.item.get_expiry())


def _headers(limit: RateLimit, policy: str, remaining: int, seconds: int) -> dict[str, str]:
    state = f'"{limit.name}";r={remaining};t={seconds}'
    return {"RateLimit-Policy": policy, "RateLimit": state}


@lru_cache
def _memory() -> Storage:
    return MemoryStorage()


class _Redis:
    """The shared storage, left alone for `REDIS_PAUSE_SECONDS` after it has failed to answer.

    Once a request has been waiting for `REDIS_SLOW_SECONDS`, later ones do not ask: of all that
    arrive before it times out, few wait.
    """

    def __init__(self) -> None:
        self._paused_until = 0.0
        self._waiting_since: dict[object, float] = {}  # by request, the oldest first

    def is_usable(self) -> bool:
        """Return whether to ask it: it is configured, not paused, and no request waits for long."""
        if "redis" not in settings.SHARED_COUNTS["BACKEND"]:
            return False
        now = time.monotonic()
        waiting = self._waiting_since.copy()  # other threads change it meanwhile
        since = next(iter(waiting.values()), now)
        return now >= self._paused_until and now - since < REDIS_SLOW_SECONDS

    @contextmanager
    def storage(self) -> Iterator[Storage]:
        """Yield the storage; the block counts as a request that waits for it."""
        request = object()
        self._waiting_since[request] = time.monotonic()
        try:
            yield _redis_at(settings.SHARED_COUNTS["LOCATION"])
        finally:
            del self._waiting_since[request]

    def pause(self) -> None:
        self._paused_until = time.monotonic() + REDIS_PAUSE_SECONDS
        logger.warning("redis does not answer: each process counts rate limits for itself")


_redis = _Redis()


@lru_cache
def _redis_at(url: str) -> Storage:
    # The client takes 6 MB of memory: a service without Redis does without it.
    from limits.storage import RedisStorage
    from redis import ConnectionPool
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    pool = ConnectionPool.from_url(
        url,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    return RedisStorage(url, connection_pool=pool, wrap_exceptions=True)
