"""`expires_at` is the first instant at which a payment, or a link, can no longer be paid."""

from datetime import timedelta

import pytest
import time_machine

from core.clock import utc_now
from links.models import PaymentLink
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api

pytestmark = pytest.mark.django_db
MOMENT = timedelta(milliseconds=1)


def test_a_payment_can_be_paid_until_the_instant_before(api: Api, payment: Payment) -> None:
    client = api(payment.merchant)
    assert payment.expires_at is not None

    with time_machine.travel(payment.expires_at - MOMENT, tick=False):
        assert client.get(f"/v1/payments/{payment.id}").json()["status"] == "created"
        assert client.post(f"/v1/payments/{payment.id}/confirm").status_code == 200


def test_at_that_instant_it_is_expired(api: Api, payment: Payment) -> None:
    client = api(payment.merchant)
    assert payment.expires_at is not None

    with time_machine.travel(payment.expires_at, tick=False):
        shown = client.get(f"/v1/payments/{payment.id}").json()["status"]
        listed = client.get("/v1/payments", {"status": "expired"}).json()["total"]
        refused = client.post(f"/v1/payments/{payment.id}/confirm")

    assert (shown, listed) == ("expired", 1)
    assert (refused.status_code, refused.json()["code"]) == (422, "PAYMENT_EXPIRED")
    assert "transaction_id" not in client.get(f"/v1/payments/{payment.id}").json()


def test_a_link_ends_at_its_instant(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    ends = utc_now() + timedelta(days=1)
    created = client.post(
        "/v1/payment-links", {"amount": 100, "expires_at": ends.isoformat()}
    ).json()
    ends = PaymentLink.objects.get().expires_at or ends
    path = f"/v1/payment-links/{created['id']}"

    with time_machine.travel(ends - MOMENT, tick=False):
        assert client.get(path).json()["status"] == "active"
    with time_machine.travel(ends, tick=False):
        assert client.get(path).json()["status"] == "expired"


def test_an_api_key_ends_at_its_instant(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    key = merchant.api_keys.get()
    key.expires_at = utc_now() + timedelta(hours=1)
    key.save(update_fields=["expires_at"])

    with time_machine.travel(key.expires_at - MOMENT, tick=False):
        assert client.get("/v1/balance").status_code == 200
    with time_machine.travel(key.expires_at, tick=False):
        assert client.get("/v1/balance").status_code == 401
