"""Delete the statements of accounts whose period is over."""

from datetime import datetime

from core.retention import PERIODS, delete_all
from payouts.models import AccountStatement


def delete_old_statements(*, now: datetime) -> int:
    """Delete statements with their lines a month after they were asked for.

    Returns how many rows went.
    """
    kept = PERIODS["statements of accounts"]
    return delete_all(AccountStatement.objects.filter(created_at__lt=now - kept))
