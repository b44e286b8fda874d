"""Delete the records of staff sign-ins, with their network addresses and browsers."""

from datetime import datetime

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session

from core.retention import PERIODS, delete_all, delete_oldest


def delete_old_sign_ins(*, now: datetime) -> int:
    """Delete sign-ins and sessions after their period; return how many."""
    before = now - PERIODS["staff sign-ins"]
    records = (AccessLog, AccessAttempt, AccessFailureLog)
    ended = Session.objects.filter(expire_date__lt=now - PERIODS["staff sessions"])
    return delete_all(ended, order_by="expire_date") + sum(
        delete_oldest(kind.objects.all(), "attempt_time", before=before) for kind in records
    )
