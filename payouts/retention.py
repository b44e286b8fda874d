"""Delete account statements whose retention period is over."""

from datetime import datetime

from core.retention import PERIODS, delete_all
from payouts.models import AccountStatement


def delete_old_statements(*, now: datetime) -> int:
    """Delete statements and their lines a month after they were requested.

    Returns the number of rows deleted.
    """
    kept = PERIODS["statements of accounts"]
    old = AccountStatement.objects.filter(created_at__lt=now - kept)
    return delete_all(old, order_by="created_at")
