"""Attempt limits per subject and window, counted in the database.

There, every process sees the count and no lost cache resets it: an attempt that cannot be counted
is not allowed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Max, Q, Value, When

from core.errors import RateLimited
from core.models import Quota


@dataclass(frozen=True)
class AttemptLimit:
    """At most `times` attempts within a window that starts with the first one."""

    name: str
    times: int
    within: timedelta

    def key(self, subject: str) -> str:
        return f"{self.name}:{subject}"


def count_attempt(limit: AttemptLimit, subject: str, *, now: datetime) -> None:
    """Count one attempt and commit at once. Raises RateLimited, with `Retry-After`.

    Refuses to run inside a transaction, whose rollback could undo the count.
    """
    key, ended = limit.key(subject), Q(ends_at__lte=now)
    ends_at = now + limit.within
    with transaction.atomic(durable=True):
        Quota.objects.bulk_create([Quota(key=key, ends_at=ends_at)], ignore_conflicts=True)
        taken = Quota.objects.filter(ended | Q(used__lt=limit.times), key=key).update(
            used=Case(When(ended, then=1), default=F("used") + 1),
            ends_at=Case(When(ended, then=Value(ends_at)), default=F("ends_at")),
        )
    if not taken:
        raise _refusal(_last_end(key=key) or now, now)


def count_within_all(counted: Sequence[tuple[AttemptLimit, str]], *, now: datetime) -> bool:
    """Count one attempt against every limit, or against none; return whether all had room.

    Runs in the caller's transaction: for counts to be undone with it, as for a planned message.
    """
    limits = {limit.key(subject): limit for limit, subject in counted}
    new = [Quota(key=key, ends_at=now + limits[key].within) for key in sorted(limits)]
    Quota.objects.bulk_create(new, ignore_conflicts=True)
    counts = list(Quota.objects.select_for_update().filter(key__in=limits).order_by("key"))
    for count in counts:
        if count.ends_at <= now:
            count.used, count.ends_at = 0, now + limits[count.key].within
        count.used += 1
    if any(count.used > limits[count.key].times for count in counts):
        return False
    Quota.objects.bulk_update(counts, ["used", "ends_at"])
    return True


def count_or_refuse(counted: Sequence[tuple[AttemptLimit, str]], *, now: datetime) -> None:
    """Count as `count_within_all`. Raises RateLimited, with `Retry-After` of the limit reached."""
    if not count_within_all(counted, now=now):
        refuse_exhausted(*counted, now=now)
        raise RateLimited  # a limit of zero has no window to wait for


def uncount_attempt(limit: AttemptLimit, subject: str) -> None:
    """Undo one count, for an attempt that turned out to be harmless."""
    Quota.objects.filter(key=limit.key(subject), used__gt=0).update(used=F("used") - 1)


def forget_attempts(limit: AttemptLimit, subject: str) -> None:
    """Begin a new window, in the caller's transaction."""
    Quota.objects.filter(key=limit.key(subject)).delete()


def refuse_exhausted(*counted: tuple[AttemptLimit, str], now: datetime) -> None:
    """Raise RateLimited if any limit is exhausted for its subject, without counting.

    `Retry-After` is that of the limit that lasts longest: until then, another would still refuse.
    """
    full = Q()
    for limit, subject in counted:
        full |= Q(key=limit.key(subject), used__gte=limit.times)
    if ends_at := _last_end(full, ends_at__gt=now):
        raise _refusal(ends_at, now)


def _last_end(*conditions: Q, **lookups: Any) -> datetime | None:
    """Return when the last of these windows ends."""
    found = Quota.objects.filter(*conditions, **lookups).aggregate(last=Max("ends_at"))
    last: datetime | None = found["last"]
    return last


def _refusal(ends_at: datetime, now: datetime) -> RateLimited:
    return RateLimited.retry_in(-((now - ends_at) // timedelta(seconds=1)))  # rounded up
