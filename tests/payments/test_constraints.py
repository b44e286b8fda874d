"""What the database refuses, whatever code writes: nonsensical payments."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from merchants.models import Merchant
from payments.models import Payment
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db
COMPLETED = PaymentStatus.COMPLETED
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def refused(payment: Payment, **changes: Any) -> bool:
    """Write past every model and service; return whether the database refused."""
    try:
        with transaction.atomic():
            Payment.objects.filter(pk=payment.pk).update(**changes)
    except IntegrityError:
        return True
    return False


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": 0},
        {"tip": 0},
        {"tip": 1_250},
        {"amount": -1},
        {"amount": 100_000_000_000},
        {"amount": None},
        {"status": "paid"},
        {"status": COMPLETED},
        {"completed_at": NOON},
        {"transaction_id": "txn_1"},
        {"amount_refunded": 1},
        {"amount_refund_pending": 1},
        {"fee": -1},
        {"fee": 1_251},
    ],
    ids=str,
)
def test_no_nonsense_before_it_is_paid(payment: Payment, changes: dict[str, Any]) -> None:
    assert refused(payment, **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"completed_at": None},
        {"transaction_id": None},
        {"customer": None},
        {"fee": None},
        {"fee": 1_251},
        {"status": PaymentStatus.CREATED},
        {"amount_refunded": 1_251},
        {"amount_refunded": -1},
        {"amount_refunded": 1_000, "amount_refund_pending": 251},
    ],
    ids=str,
)
def test_no_nonsense_once_it_is_paid(payment: Payment, changes: dict[str, Any]) -> None:
    bring_to(payment, COMPLETED)

    assert refused(payment, **changes)
    assert not refused(payment, amount_refunded=1_000, amount_refund_pending=250)


def test_only_a_counter_itself_may_have_no_amount(merchant: Merchant) -> None:
    counter = PaymentFactory(merchant=merchant, payment_mode=PaymentMode.STATIC_PAY)
    sale = PaymentFactory(
        merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, static_payment=counter
    )

    assert not refused(counter, amount=None)
    assert refused(sale, amount=None)
