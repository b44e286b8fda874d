"""POST /v1/payments/:id/refund"""

import json

import pytest

from ledger.models import Account, Purpose, Transfer
from ledger.services import balances
from merchants.models import Merchant
from payments.models import Payment
from refunds.models import Refund
from tests.client import Api
from tests.factories import PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(api: Api, merchant: Merchant, payment: Payment) -> Payment:
    assert api(merchant).post(f"/v1/payments/{payment.id}/confirm").status_code == 200
    payment.refresh_from_db()
    return payment


def event_types() -> list[str]:
    return list(Event.objects.order_by("id").values_list("type", flat=True))


def test_it_refunds_the_whole_amount(api: Api, merchant: Merchant, paid: Payment) -> None:
    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", {"reason": "Returned"})

    assert response.status_code == 201
    body = response.json()
    assert response["Location"] == f"/v1/refunds/{body['id']}"
    assert body["payment_id"] == paid.id
    assert (body["amount"], body["status"], body["reason"]) == (1_250, "succeeded", "Returned")
    record = api(merchant).get(f"/v1/payments/{paid.id}").json()
    assert record["status"] == "completed"
    assert (record["amount_refunded"], record["amount_refundable"]) == (1_250, 0)
    assert record["refund_status"] == "full"
    assert balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False) == {"BSD": 0}
    assert set(event_types()) == {
        "payment.completed",
        "refund.created",
        "refund.completed",
        "payment.refunded",
    }
    completed = json.loads(bytes(Event.objects.get(type="refund.completed").body))
    assert completed["data"] == {
        "refund_id": body["id"],
        "payment_id": paid.id,
        "amount": 1_250,
        "reason": "Returned",
    }


def test_it_refunds_to_the_last_cent(api: Api, merchant: Merchant) -> None:
    merchant.fee_basis_points = 333
    merchant.save()
    payment = PaymentFactory(merchant=merchant, amount=100)
    api(merchant).post(f"/v1/payments/{payment.id}/confirm")
    Transfer.objects.count()
    # Money of another sale covers the part that the fee has not brought back yet.
    other = PaymentFactory(merchant=merchant, amount=100)
    api(merchant).post(f"/v1/payments/{other.id}/confirm")

    parts = [
        api(merchant).post(f"/v1/payments/{payment.id}/refund", {"amount": amount})
        for amount in (33, 33, 33, 1)
    ]

    assert [part.status_code for part in parts] == [201] * 4
    assert sum(part.json()["fee_returned"] for part in parts) == 3
    payment.refresh_from_db()
    assert payment.amount_refunded == 100
    over = api(merchant).post(f"/v1/payments/{payment.id}/refund", {"amount": 1})
    assert (over.status_code, over.json()["code"]) == (422, "REFUND_EXCEEDS_PAYMENT")


def test_it_stays_pending_where_the_balance_does_not_cover_it(
    api: Api, merchant: Merchant, paid: Payment
) -> None:
    Account.objects.get(owner=merchant.id, purpose=Purpose.MERCHANT)
    from core.clock import now
    from ledger.models import HOUSE, Kind
    from ledger.services import Movement, account_for, post

    balance = account_for(
        owner=merchant.id, purpose=Purpose.MERCHANT, currency="BSD", livemode=False
    )
    bank = account_for(owner=HOUSE, purpose=Purpose.BANK, currency="BSD", livemode=False)
    from django.db import transaction

    with transaction.atomic():
        gone = Movement(kind=Kind.PAYOUT, reference="po_1", debit=balance, credit=bank, amount=1)
        post(transaction_id="txn_1", movements=[gone], now=now())

    response = api(merchant).post(f"/v1/payments/{paid.id}/refund")

    assert (response.status_code, response.json()["status"]) == (201, "pending")
    record = api(merchant).get(f"/v1/payments/{paid.id}").json()
    assert (record["amount_refunded"], record["amount_refundable"]) == (0, 0)
    assert event_types()[-1] == "refund.created"


def test_it_refuses_a_stale_view(api: Api, merchant: Merchant, paid: Payment) -> None:
    body = {"amount": 100, "refund_amount_available": 1_000}

    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", body)

    assert response.status_code == 422
    assert response.json()["code"] == "REFUND_AMOUNT_MISMATCH"
    assert response.json()["details"] == "refund_amount_available: is 1250"
    assert Refund.objects.count() == 0


def test_it_refuses_an_unpaid_payment(api: Api, merchant: Merchant, payment: Payment) -> None:
    response = api(merchant).post(f"/v1/payments/{payment.id}/refund")

    assert (response.status_code, response.json()["code"]) == (422, "PAYMENT_NOT_COMPLETED")
    assert Event.objects.count() == 0


def test_it_hides_another_merchants_payment(api: Api, stranger: Merchant, paid: Payment) -> None:
    response = api(stranger).post(f"/v1/payments/{paid.id}/refund")

    assert (response.status_code, response.json()["code"]) == (404, "PAYMENT_NOT_FOUND")
    assert Refund.objects.count() == 0
