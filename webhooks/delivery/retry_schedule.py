"""When a failed attempt is retried. Pure.

The steps are counted from the end of the previous attempt; with Retry-After an endpoint may ask for
a longer wait, never for a shorter one.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

RETRY_AFTER_STATUSES = frozenset({429, 503})


def max_attempts(steps: Sequence[float]) -> int:
    """Return the number of attempts: the first, and one after each step (in seconds)."""
    return len(steps) + 1


def next_attempt_at(
    *, attempts: int, failed_at: datetime, wait: timedelta | None, steps: Sequence[float]
) -> datetime | None:
    """Return when to make the next attempt after `attempts` of them; None after the last.

    `wait` is what the endpoint asked for, at most the longest step.
    """
    if attempts >= max_attempts(steps):
        return None
    step = timedelta(seconds=steps[attempts - 1])
    longest = timedelta(seconds=max(steps))
    return failed_at + max(step, min(wait or step, longest))


def requested_wait(status: int | None, header: str | None, *, at: datetime) -> timedelta | None:
    """Parse Retry-After, in seconds or as a date, if the status allows it."""
    if status not in RETRY_AFTER_STATUSES or header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdigit():
        return timedelta(seconds=int(text[:9]))
    try:
        instant = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    instant = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return max(instant - at, timedelta(0))
