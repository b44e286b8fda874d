"""Every move of a refund, and what the database itself refuses"""

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from refunds.errors import RefundFinal
from refunds.models import Refund
from refunds.services import fail_refund
from refunds.statuses import TRANSITIONS, RefundStatus
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import refund

pytestmark = pytest.mark.django_db
S = RefundStatus
ALLOWED = {(S.PENDING, S.SUCCEEDED), (S.PENDING, S.FAILED)}
AT = "2026-11-20T00:00Z"


@pytest.fixture
def made(api, merchant, paid):
    """Bring a refund of 1000 into a status, as it gets there in life."""

    def make(status):
        if status != S.SUCCEEDED:
            credit(merchant, -1_250)
        refund(api, paid, 1_000)
        found = Refund.objects.get()
        if status == S.FAILED:
            fail_refund(refund_id=found.id, reason="x", actor="staff:ann", now=utc_now())
            found.refresh_from_db()
        assert found.status == status
        return found

    return make


@pytest.mark.parametrize("before", S)
@pytest.mark.parametrize("after", S)
def test_the_table_is_all_there_is(made, before, after):
    assert (after in TRANSITIONS[before]) is ((before, after) in ALLOWED)
    if (before, after) not in ALLOWED:
        with pytest.raises(RefundFinal):
            made(before).transition_to(after, now=utc_now(), actor="x")
        assert Refund.objects.get().status == before


@pytest.mark.parametrize(
    ("status", "change"),
    [
        (S.PENDING, {"status": "unheard of"}),
        (S.PENDING, {"status": "succeeded"}),
        (S.PENDING, {"status": "succeeded", "succeeded_at": AT}),
        (S.PENDING, {"status": "failed"}),
        (S.PENDING, {"failed_at": AT}),
        (S.PENDING, {"fee_returned": 1}),
        (S.PENDING, {"transaction_id": "txn_1"}),
        (S.PENDING, {"amount": 0}),
        (S.PENDING, {"amount": 100_000_000_000}),
        (S.SUCCEEDED, {"status": "pending"}),
        (S.SUCCEEDED, {"succeeded_at": None}),
        (S.SUCCEEDED, {"transaction_id": None}),
        (S.SUCCEEDED, {"failed_at": AT}),
        (S.SUCCEEDED, {"fee_returned": -1}),
        (S.SUCCEEDED, {"fee_returned": 1_001}),
        (S.FAILED, {"status": "pending"}),
        (S.FAILED, {"failed_at": None}),
        (S.FAILED, {"transaction_id": "txn_1"}),
    ],
)
def test_the_database_refuses_nonsense(made, status, change):
    found = made(status)

    with pytest.raises(IntegrityError), transaction.atomic():
        Refund.objects.filter(pk=found.pk).update(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"amount_refunded": 1_251},
        {"amount_refunded": -1},
        {"amount_refund_pending": 251},
        {"amount_refund_pending": -1},
        {"amount": 999},
    ],
)
def test_the_database_refuses_more_than_the_payment(made, change):
    payment = made(S.SUCCEEDED).payment

    with pytest.raises(IntegrityError), transaction.atomic():
        type(payment).objects.filter(pk=payment.pk).update(**change)
