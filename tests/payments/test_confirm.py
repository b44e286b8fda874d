"""POST /v1/payments/:id/confirm"""

import json

import pytest

from ledger.models import Purpose, Transfer
from ledger.services import balances
from merchants.models import Merchant
from payments.models import Payment, PaymentTransition
from tests.client import Api
from tests.factories import PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_it_completes_a_test_payment(api: Api, merchant: Merchant, payment: Payment) -> None:
    response = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": "+1 242 555 0100"}
    )

    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"id", "status", "customer_id", "transaction_id", "completed_at"}
    assert body["id"] == payment.id
    assert body["status"] == "completed"
    payment.refresh_from_db()
    assert payment.transaction_id == body["transaction_id"]
    moves = PaymentTransition.objects.filter(payment=payment).order_by("id")
    assert [(move.from_status, move.to_status) for move in moves] == [
        ("created", "processing"),
        ("processing", "completed"),
    ]
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"BSD": 1_250}
    assert list(Event.objects.values_list("type", flat=True)) == ["payment.completed"]


def test_it_keeps_the_fee_apart(api: Api, merchant: Merchant) -> None:
    merchant.fee_basis_points = 250
    merchant.save()
    payment = PaymentFactory(merchant=merchant, amount=1_001)

    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm")

    assert response.status_code == 200
    record = api(merchant).get(f"/v1/payments/{payment.id}").json()
    assert (record["fee"], record["net"]) == (25, 976)
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"BSD": 976}


@pytest.mark.parametrize(
    ("phone", "code"),
    [("+12425550101", "INSUFFICIENT_BALANCE"), ("+12425550103", "PAYMENT_FAILED")],
)
def test_it_fails_as_the_magic_phone_says(
    api: Api, merchant: Merchant, payment: Payment, phone: str, code: str
) -> None:
    response = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone}, idempotency_key="once"
    )

    assert response.status_code == 422
    assert response.json()["code"] == code
    payment.refresh_from_db()
    assert payment.status == "failed"
    assert payment.error_code == code
    event = json.loads(bytes(Event.objects.get(type="payment.failed").body))
    assert event["data"]["error_code"] == code
    assert not Transfer.objects.filter(reference=payment.id).exists()
    again = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone}, idempotency_key="once"
    )
    assert (again.status_code, again.content) == (422, response.content)
    assert again["Idempotent-Replayed"] == "true"
