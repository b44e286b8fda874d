"""Correct what a process with a wrong clock has dated: on SQLite, each has a clock of its own.

On PostgreSQL the database says what is due, and there is nothing to correct.
"""

from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from core.clock import SKEW
from core.ids import new_id
from webhooks.delivery.leases import lease_until
from webhooks.models import Delivery


def correct_future_dates(*, now: datetime) -> int:
    """Correct first attempts and leases dated by a clock that was ahead; return how many.

    The first attempts are due now, and the leases end as if taken now.
    """
    first_attempts, leases = dated_ahead(now)
    return first_attempts.update(next_attempt_at=now) + leases.update(
        next_attempt_at=lease_until(now)
    )


def dated_ahead(now: datetime) -> tuple[QuerySet[Delivery], QuerySet[Delivery]]:
    """Return the first attempts and the leases that a clock ahead has dated; on PostgreSQL none.

    Both are found by an index.
    """
    if connection.vendor == "postgresql":
        return Delivery.objects.none(), Delivery.objects.none()
    first_attempts = _ahead(now).filter(pk__gt=new_id("dlv", now + SKEW), attempt_count=0)
    return first_attempts, _ahead(lease_until(now)).exclude(lease_token="")


def _ahead(latest: datetime) -> QuerySet[Delivery]:
    return Delivery.objects.filter(next_attempt_at__gt=latest + SKEW)
