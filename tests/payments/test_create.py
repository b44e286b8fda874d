"""POST /v1/payments"""

import pytest

from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_it_creates_a_payment(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post(
        "/v1/payments", {"amount": 1_250, "description": "Lunch", "metadata": {"table": "7"}}
    )

    assert response.status_code == 201
    body = response.json()
    assert response["Location"] == f"/v1/payments/{body['id']}"
    assert body["merchant_id"] == merchant.id
    assert body["amount"] == 1_250
    assert body["currency"] == "BSD"
    assert body["status"] == "created"
    assert body["payment_mode"] == "DYNAMIC_PAY"
    assert body["hosted_url"] == f"/checkout/{body['id']}"
    assert body["qr_payload"].endswith(f"://pay/{body['id']}")
    assert body["metadata"] == {"table": "7"}
    assert "customer_id" not in body
    assert "completed_at" not in body
    assert Payment.objects.get().id == body["id"]
    assert Event.objects.get().type == "payment.created"
