"""The clock of periodic work: the database's, trusted only while nothing contradicts it.

Periodic work pays out, expires and deletes unattended, so a wrong clock would do lasting damage.
Each turn uses the database's time. It is refused if its own process's clock differs, or if the time
has leapt since earlier turns: a single wild reading is never acted upon.
"""

import socket
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from django.db.models import Q, QuerySet

from core.clock import ClockRefused, utc_now, whole_milliseconds
from core.database_clock import database_now
from core.models import TurnMark

STEP = timedelta(hours=1)
LONG_STEP = timedelta(days=1)  # for work that is harmless if done this early
CONFIRMED_AFTER = timedelta(minutes=1)
NOTED_EVERY = timedelta(minutes=5)
ALARM_EVERY = timedelta(minutes=1)

logger = structlog.get_logger(__name__)


def task_now(*, step: timedelta = STEP) -> datetime:
    """Return the instant of a turn of periodic work, read once from the database's clock.

    Raises ClockRefused as `checked_now` does, and also if the time is more than `step` ahead of
    earlier turns, or behind them, until it has stayed there for a minute.
    """
    now = checked_now()
    mark, _ = TurnMark.objects.get_or_create(pk=TurnMark.ONLY, defaults={"at": now})
    if mark.at - _tolerance() <= now <= mark.at + step:
        # A time that only a longer step lets pass does not vouch for work of the usual step.
        if now <= mark.at + STEP and mark.leapt_at:
            _accept(now)
        elif STEP >= now - mark.at >= NOTED_EVERY:
            _row().update(at=now)
        return now
    if mark.leapt_at and CONFIRMED_AFTER <= now - mark.leapt_at <= step:
        logger.warning("clock_leap_accepted", at=now, earlier=mark.at)
        _accept(now)
        return now
    if not mark.leapt_at or not mark.leapt_at <= now <= mark.leapt_at + step:
        _row().update(leapt_at=now)
    raise _refused(now, f"The time has leapt from {_in_words(mark.at)} to {_in_words(now)}.")


def checked_now() -> datetime:
    """Return the database's time. Raises ClockRefused if this process's clock differs from it."""
    before = utc_now()
    now = whole_milliseconds(database_now())
    after = utc_now()
    if before - _tolerance() <= now <= after + _tolerance():
        return now
    ahead = (after - now).total_seconds()
    raise _refused(now, f"The clock of {socket.gethostname()} is {ahead:+.0f} s off.")


def capped_now() -> datetime:
    """Return the database's time, capped at a day after what earlier turns accepted.

    For requests with a permanent effect: a leap is not acted upon. Never raises; before the first
    turn there is nothing to compare with, and the database's time is returned.
    """
    now = whole_milliseconds(database_now())
    mark = _row().values_list("at", flat=True).first()
    return min(now, mark + LONG_STEP) if mark else now


def accept_clock() -> None:
    """Accept the present time as right, on the word of the person who starts the work.

    Raises ClockRefused as `checked_now` does.
    """
    now = checked_now()
    TurnMark.objects.get_or_create(pk=TurnMark.ONLY, defaults={"at": now})
    _accept(now)


def seconds_off() -> float:
    """Return how far the clock of this process is ahead of the database's."""
    now = database_now()
    return (utc_now() - now).total_seconds()


def _tolerance() -> timedelta:
    return timedelta(seconds=settings.CLOCK_TOLERANCE_SECONDS)


def _accept(now: datetime) -> None:
    """Accept a time after a leap: what was refused because of it no longer is."""
    _row().update(at=now, leapt_at=None, refusal="")


def _refused(now: datetime, why: str) -> ClockRefused:
    """Record a refusal in the log and in the row that metrics read.

    The first one is recorded at once, then one a minute: while a clock is off, all work is refused.
    """
    TurnMark.objects.get_or_create(pk=TurnMark.ONLY, defaults={"at": now})
    recorded = Q(refused_at__gt=now - ALARM_EVERY, refused_at__lte=now, refusal__gt="")
    if _row().exclude(recorded).update(refused_at=now, refusal=why):
        logger.error("clock_refused", reason=why)
    return ClockRefused(why)


def _in_words(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"


def _row() -> QuerySet[TurnMark]:
    return TurnMark.objects.filter(pk=TurnMark.ONLY)
