"""Simulate-Error: any error on demand, in test mode only."""

import pytest

from core.reference import errors
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api

pytestmark = pytest.mark.django_db
STATUSES = {error.code: error.status for error in errors()}


@pytest.mark.parametrize("code", sorted(STATUSES))
def test_it_refuses_as_asked_and_does_nothing(api: Api, merchant: Merchant, code: str) -> None:
    client, body = api(merchant), {"amount": 1}

    response = client.post("/v1/payments", body, simulate_error=code, idempotency_key="again")

    assert response.status_code == STATUSES[code]
    assert response.json()["code"] == code
    assert response.json()["details"] == "Simulate-Error asked for this."
    assert Payment.objects.count() == 0
    assert client.post("/v1/payments", body, idempotency_key="again").status_code == 201


@pytest.mark.parametrize("code", ["CONFLICT", "SERVICE_UNAVAILABLE", "RATE_LIMITED"])
def test_what_may_be_tried_again_says_when(api: Api, merchant: Merchant, code: str) -> None:
    assert api(merchant).get("/v1/payments", simulate_error=code)["Retry-After"] == "1"


def test_it_takes_codes_of_the_reference_only(api: Api, merchant: Merchant) -> None:
    response = api(merchant).get("/v1/payments", simulate_error="TEAPOT")

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


def test_a_live_request_is_not_refused(api: Api, merchant: Merchant) -> None:
    response = api(merchant, live=True).get("/v1/payments", simulate_error="CONFLICT")

    assert response.status_code == 200


def test_in_development_it_needs_no_key(api: Api, development: None) -> None:
    response = api(None).get("/v1/payments", simulate_error="SERVICE_UNAVAILABLE")

    assert response.status_code == 503


def test_without_a_key_it_is_refused_for_that(api: Api, db: None) -> None:
    response = api(None).get("/v1/payments", simulate_error="CONFLICT")

    assert response.status_code == 401
