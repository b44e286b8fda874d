"""Delete what proved something once and can prove nothing any more."""

from datetime import datetime, timedelta
from typing import TypeVar

from django.db.models import Model, QuerySet

from core.models import Quota
from customers.models import CustomerSession, PasskeyChallenge, SignInCode

BATCH = 2_000
KEPT = timedelta(days=1)
SESSIONS_KEPT = timedelta(days=30)

_Row = TypeVar("_Row", bound=Model)


def forget_expired(*, now: datetime) -> int:
    """Delete codes, challenges and counts a day after their end, sessions a month after it.

    Returns how many rows went.
    """
    ended = (
        SignInCode.objects.filter(expires_at__lt=now - KEPT),
        PasskeyChallenge.objects.filter(expires_at__lt=now - KEPT),
        Quota.objects.filter(ends_at__lt=now - KEPT),
        CustomerSession.objects.filter(expires_at__lt=now - SESSIONS_KEPT),
    )
    return sum(_delete_all(rows) for rows in ended)


def _delete_all(rows: QuerySet[_Row]) -> int:
    """Delete in short statements: one of a day's worth of rows might take too long."""
    deleted = 0
    while keys := list(rows.values_list("pk", flat=True)[:BATCH]):
        deleted += rows.filter(pk__in=keys).delete()[0]
    return deleted
