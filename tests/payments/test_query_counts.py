"""How many statements an operation costs: a bound that grows only on purpose."""

import pytest

from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory
from tests.query_counts import Statements

pytestmark = pytest.mark.django_db


def test_creating_costs_at_most_five(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    with Statements() as statements:
        assert client.post("/v1/payments", {"amount": 100}).status_code == 201

    assert len(statements.work) <= 5, statements.work


def test_creating_under_a_key_costs_two_more(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    with Statements() as statements:
        response = client.post("/v1/payments", {"amount": 100}, idempotency_key="k-1")

    assert response.status_code == 201
    assert len(statements.work) <= 7, statements.work


def test_reading_costs_two(api: Api, merchant: Merchant, payment: Payment) -> None:
    client = api(merchant)
    with Statements() as statements:
        assert client.get(f"/v1/payments/{payment.id}").status_code == 200

    assert len(statements.work) <= 2, statements.work


def test_canceling_costs_six(api: Api, merchant: Merchant, payment: Payment) -> None:
    client = api(merchant)
    with Statements() as statements:
        assert client.post(f"/v1/payments/{payment.id}/cancel").status_code == 200

    assert len(statements.work) <= 6, statements.work


def test_confirming_is_bounded(api: Api, merchant: Merchant, payment: Payment) -> None:
    client = api(merchant)
    client.post(f"/v1/payments/{PaymentFactory(merchant=merchant).id}/confirm")
    with Statements() as statements:
        assert client.post(f"/v1/payments/{payment.id}/confirm").status_code == 200

    assert len(statements.work) <= 18, statements.work
