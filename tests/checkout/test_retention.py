"""Verification attempts, and the addresses they came from, are deleted after their period."""

from datetime import datetime, timedelta

import pytest

from checkout.models import VerificationAttempt
from checkout.retention import delete_old_attempts
from checkout.tasks import forget_attempts
from core import retention
from core.clock import utc_now
from core.retention import PERIODS

pytestmark = pytest.mark.django_db
PERIOD = PERIODS["verification attempts"]


def attempt(at: datetime) -> VerificationAttempt:
    return VerificationAttempt.objects.create(
        payment_id="pay_1",
        method="pin",
        actor="customer:cus_1",
        address="192.0.2.7",
        attempted_at=at,
    )


def test_it_deletes_what_is_older_than_its_period() -> None:
    now = utc_now()
    attempt(now - PERIOD - timedelta(seconds=1))
    kept = attempt(now - PERIOD)

    assert delete_old_attempts(now=now) == 1
    assert list(VerificationAttempt.objects.all()) == [kept]


def test_it_works_through_more_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    now = utc_now()
    for _ in range(4):
        attempt(now - 2 * PERIOD)
    kept = attempt(now)

    assert forget_attempts() == 4
    assert forget_attempts() == 0
    assert list(VerificationAttempt.objects.all()) == [kept]
