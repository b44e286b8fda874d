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
        SignInCode.objects.filter(expires_at__lt=now - codes),
        PasskeyChallenge.objects.filter(expires_at__lt=now - challenges),
        Quota.objects.filter(ends_at__lt=now - counts),
        CustomerSession.objects.filter(expires_at__lt=now - sessions),
    )
    return sum(delete_all(rows) for rows in ended)
