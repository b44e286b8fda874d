"""Payouts that should have left, or arrived, before yesterday"""

from datetime import UTC, datetime

import pytest

from merchants.models import Merchant
from payouts.models import Payout

NOW = datetime(2026, 11, 18, 15, tzinfo=UTC)
YESTERDAY, BEFORE = "2026-11-17", "2026-11-16"
SENT = {"status": "in_transit", "in_transit_at": NOW}
PAID = {"status": "paid", "paid_at": NOW}


@pytest.mark.parametrize(
    ("values", "is_overdue"),
    [
        ({"send_date": BEFORE, "arrival_date": YESTERDAY}, True),
        ({"send_date": YESTERDAY, "arrival_date": YESTERDAY}, False),
        ({"send_date": YESTERDAY, "arrival_date": BEFORE}, False),
        ({**SENT, "send_date": BEFORE, "arrival_date": BEFORE}, True),
        ({**SENT, "send_date": BEFORE, "arrival_date": YESTERDAY}, False),
        ({**PAID, "send_date": BEFORE, "arrival_date": BEFORE}, False),
    ],
)
def test_it_is_late_by_more_than_a_day(payout, values, is_overdue):
    Payout.objects.update(**values)

    assert Payout.objects.overdue(NOW).exists() is is_overdue


def test_what_waits_for_its_merchant_is_not(payout):
    Payout.objects.update(send_date=BEFORE)
    Merchant.objects.update(status="suspended")

    assert not Payout.objects.overdue(NOW).exists()
    assert not Payout.objects.sendable().exists()
    Payout.objects.update(**SENT, arrival_date=BEFORE)
    assert Payout.objects.overdue(NOW).exists()
    Merchant.objects.update(status="verified")
    assert not Payout.objects.sendable().exists()
