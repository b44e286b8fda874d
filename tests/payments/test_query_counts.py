"""How many statements an operation costs: a bound that grows only on purpose."""

from typing import Any

import pytest
from django.db import connection

from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api, ApiClient
from tests.factories import PaymentFactory
from tests.query_counts import Statements

pytestmark = pytest.mark.django_db


def of(
    client: ApiClient, path: str, data: dict[str, Any] | None = None, **headers: str
) -> list[str]:
    """Send a request with a key that is known by now; return the statements that it needed."""
    client.get("/v1/payments/pay_none")
    with Statements() as statements:
        response = client.post(path, data, **headers) if data is not None else client.get(path)
    assert response.status_code in (200, 201), response.content
    return statements.work


def fewest(on_postgresql: int, on_sqlite: int) -> int:
    return on_postgresql if connection.vendor == "postgresql" else on_sqlite


def test_creating_writes_payment_and_event(api: Api, merchant: Merchant) -> None:
    sent = of(api(merchant), "/v1/payments", {"amount": 100})

    assert len(sent) <= fewest(2, 3), sent


def test_a_key_costs_two_more(api: Api, merchant: Merchant) -> None:
    sent = of(api(merchant), "/v1/payments", {"amount": 100}, idempotency_key="k-1")

    assert len(sent) <= fewest(4, 5), sent


def test_reading_costs_one(api: Api, merchant: Merchant, payment: Payment) -> None:
    sent = of(api(merchant), f"/v1/payments/{payment.id}")

    assert len(sent) <= 1, sent


def test_canceling_locks_moves_and_tells(api: Api, merchant: Merchant, payment: Payment) -> None:
    sent = of(api(merchant), f"/v1/payments/{payment.id}/cancel", {})

    assert len(sent) <= fewest(3, 5), sent


def test_confirming_reads_three_times_and_writes_three(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    client = api(merchant)
    client.post(f"/v1/payments/{PaymentFactory(merchant=merchant).id}/confirm")

    sent = of(client, f"/v1/payments/{payment.id}/confirm", {})

    assert len(sent) <= fewest(6, 10), sent
