"""The test phone +1 242 555 0105: it pays, and its refunds fail"""

import pytest

from ledger.models import Purpose, Transfer, TransferKind
from messages.models import Message
from refunds.models import Refund, RefundTransition
from refunds.tasks import retry_refunds
from tests.events import event_data, event_types
from tests.payouts.merchant_balance import held
from tests.refunds.refunding import REFUNDS_FAIL_PHONE, refund

pytestmark = pytest.mark.django_db


@pytest.fixture
def unlucky(api, merchant, payment):
    body = {"customer_phone": REFUNDS_FAIL_PHONE}
    assert api(merchant).post(f"/v1/payments/{payment.id}/confirm", body).status_code == 200
    payment.refresh_from_db()
    return payment


def test_its_refunds_fail(api, merchant, unlucky):
    response = refund(api, unlucky, 1_000)

    assert response.status_code == 201
    body = response.json()
    assert (body["status"], body["amount"]) == ("failed", 1_000)
    assert body["failure_reason"] == "The refund was simulated to fail."
    assert body["failed_at"] == body["created_at"]
    assert sorted(event_types("refund")) == ["refund.created", "refund.failed"]
    assert event_data("refund.failed")["refund_id"] == body["id"]
    assert event_types("payment.r") == []


def test_no_money_moves_and_all_can_be_asked_for_again(api, merchant, unlucky):
    assert [refund(api, unlucky).json()["status"] for _ in range(2)] == ["failed"] * 2

    assert not Transfer.objects.filter(kind=TransferKind.REFUND).exists()
    assert held(merchant, Purpose.MERCHANT) == 1_250
    record = api(merchant).get(f"/v1/payments/{unlucky.id}").json()
    assert (record["amount_refunded"], record["amount_refundable"]) == (0, 1_250)


def test_no_one_is_told_and_nothing_is_retried(api, unlucky):
    refund(api, unlucky)

    assert (Message.objects.count(), retry_refunds()) == (0, 0)
    assert Refund.objects.get().status == "failed"
    assert RefundTransition.objects.get().to_status == "failed"


def test_the_sums_are_checked_as_ever(api, unlucky):
    assert refund(api, unlucky, 1_251).json()["code"] == "REFUND_EXCEEDS_PAYMENT"
    assert event_types("refund") == []
