"""Delete codes, challenges, counters and sessions that have expired."""

from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

from core.models import Quota
from customers.models import CustomerSession, PasskeyChallenge, SignInCode

BATCH = 2_000
RETENTION = timedelta(days=1)
SESSION_RETENTION = timedelta(days=30)

_Row = TypeVar("_Row", bound=Model)


def delete_expired(*, now: datetime) -> int:
    """Delete codes, challenges and counts a day after their end, sessions a month after it.

    Returns how many rows went.
    """
    ended = (
        SignInCode.objects.filter(expires_at__lt=now - RETENTION),
        PasskeyChallenge.objects.filter(expires_at__lt=now - RETENTION),
        Quota.objects.filter(ends_at__lt=now - RETENTION),
        CustomerSession.objects.filter(expires_at__lt=now - SESSION_RETENTION),
    )
    return sum(_delete_all(rows) for rows in ended)


def _delete_all(rows: QuerySet[_Row]) -> int:
    """Delete in batches: one statement for a day's rows might take too long."""
    deleted = 0
    while keys := list(rows.values_list("pk", flat=True)[:BATCH]):
        deleted += rows.filter(pk__in=keys).delete()[0]
    return deleted
