"""Delete old verification attempts, with the network addresses that they came from."""

from datetime import datetime

from checkout.models import VerificationAttempt
from core.retention import PERIODS, delete_oldest


def delete_old_attempts(*, now: datetime) -> int:
    """Delete attempts at a PIN or passkey once their period is over; return how many."""
    before = now - PERIODS["verification attempts"]
    return delete_oldest(VerificationAttempt.objects.all(), "attempted_at", before=before)
