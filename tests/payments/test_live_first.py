"""What strangers test, by keys that anyone has for the asking, holds up no sale."""

from datetime import datetime, timedelta

import pytest

from core.clock import utc_now
from payments.expiry import expire_due, settle_due
from payments.models import Payment
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_live_payments_expire_before_those_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of tests makes as many due at once as a stranger has opened in a day."""
    monkeypatch.setattr("payments.expiry.BATCH", 1)
    now = utc_now()
    for _ in range(3):
        PaymentFactory(livemode=False, expires_at=now - 2 * MINUTE)
    sale = PaymentFactory(livemode=True, expires_at=now - MINUTE)

    assert expire_due(now=now) == 1

    assert Payment.objects.get(status="expired").pk == sale.pk


def test_live_payments_settle_before_those_of_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    now, settled = utc_now(), list[str]()

    def settle(*, payment_id: str, now: datetime) -> bool:
        settled.append(payment_id)
        return True

    monkeypatch.setattr("payments.expiry.BATCH", 1)
    monkeypatch.setattr("payments.expiry.settle_due_payment", settle)
    PaymentFactory(livemode=False, status="processing", settles_at=now - 2 * MINUTE)
    sale = PaymentFactory(livemode=True, status="processing", settles_at=now - MINUTE)

    assert settle_due(now=now) == 1

    assert settled == [sale.pk]
