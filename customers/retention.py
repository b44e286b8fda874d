"""Delete codes, challenges, counters and sessions that have expired."""

from datetime import datetime

from core.models import Quota
from core.retention import PERIODS, delete_all
from customers.models import CustomerSession, PasskeyChallenge, SignInCode


def delete_expired(*, now: datetime) -> int:
    """Delete codes, challenges, counts and sessions past their retention; return how many."""
    codes, challenges = PERIODS["one-time codes"], PERIODS["passkey challenges"]
    counts, sessions = PERIODS["attempt counts"], PERIODS["customers' sessions"]
    ended = (
        (SignInCode.objects.filter(expires_at__lt=now - codes), "expires_at"),
        (PasskeyChallenge.objects.filter(expires_at__lt=now - challenges), "expires_at"),
        (Quota.objects.filter(ends_at__lt=now - counts), "ends_at"),
        (CustomerSession.objects.filter(expires_at__lt=now - sessions), "expires_at"),
    )
    return sum(delete_all(rows, order_by=instant) for rows, instant in ended)
