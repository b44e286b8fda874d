"""A field of a body that nothing reads is named in a header, and refused where that is wanted."""

from typing import Any

import pytest
from rest_framework import fields

import config.urls  # noqa: F401  # loads every room, and so every kind of body
from core.serializers import Change, Input
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api

pytestmark = pytest.mark.django_db

STRICT = {"x_service_strict": "true"}
ORDER = {"payment_mode": "ORDER_PAY", "order_id": "A-1"}
ITEM = {"name": "Tea", "quantity": 1, "price": 300}


@pytest.mark.parametrize(
    ("body", "warning"),
    [
        ({"amount": 100, "succes_url": "https://a.example"}, "succes_url: is unknown"),
        ({"amount": 100, "order_id": "A-1"}, "order_id: is for ORDER_PAY"),
        ({**ORDER, "amount": 1, "reference": "R"}, "reference: is for REFERENCE_PAY"),
        ({**ORDER, "line_items": [{**ITEM, "sku": "T"}]}, "line_items.0.sku: is unknown"),
        ({"amount": 100, "naïve\n": 1}, r"na\xefve\n: is unknown"),
        ({"amount": 100, "a": 1, "terms": "t"}, "a: is unknown; terms: is for INVOICE_PAY"),
    ],
)
def test_it_is_named_and_refused_where_strict(
    api: Api, merchant: Merchant, body: dict[str, Any], warning: str
) -> None:
    response = api(merchant).post("/v1/payments", body)
    assert (response.status_code, response["X-Service-Warning"]) == (201, warning)

    refused = api(merchant).post("/v1/payments", body, **STRICT)
    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
    assert refused.json()["details"] == warning
    assert Payment.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {"amount": 100, "description": "Tea", "metadata": {"anything": 1}},
        {**ORDER, "line_items": [ITEM], "total": 300},
        {"amount": 100, "order_id": None},
    ],
)
def test_a_body_that_is_read_as_a_whole_has_no_warning(
    api: Api, merchant: Merchant, body: dict[str, Any]
) -> None:
    response = api(merchant).post("/v1/payments", {**body, "merchant_id": merchant.id}, **STRICT)

    assert response.status_code == 201
    assert "X-Service-Warning" not in response


def test_what_a_get_is_asked_in_its_body_is_refused(api: Api, merchant: Merchant) -> None:
    def read(body: bytes) -> Any:
        client = api(merchant)
        return client._send("GET", "/v1/payments", body, {})

    refused = read(b'{"status": "completed"}')
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")
    assert refused.json()["details"] == (
        "status: a GET takes parameters in its query string, not in a body"
    )
    for empty in (b"", b"{}", b"null", f'{{"merchant_id": "{merchant.id}"}}'.encode()):
        assert read(empty).status_code == 200


def test_an_operation_without_a_body_reads_none(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    path, body = f"/v1/payments/{payment.id}/cancel", {"reason": "changed my mind"}

    assert api(merchant).post(path, body, **STRICT).status_code == 422
    response = api(merchant).post(path, body)
    assert (response.status_code, response["X-Service-Warning"]) == (200, "reason: is unknown")


def test_a_registration_is_warned_of_too(api: Api) -> None:
    body = {"name": "Shop", "email": "a@shop.example", "colour": "#ffffff"}

    assert api(None).post("/v1/merchants", body, **STRICT).status_code == 422
    assert api(None).post("/v1/merchants", body)["X-Service-Warning"] == "colour: is unknown"


def test_a_replay_is_warned_of_as_the_first(api: Api, merchant: Merchant) -> None:
    for _ in range(2):
        response = api(merchant).post("/v1/payments", {"amount": 1, "x": 1}, idempotency_key="k")
        assert response["X-Service-Warning"] == "x: is unknown"


def test_many_are_counted(api: Api, merchant: Merchant) -> None:
    body = {"amount": 1, **{f"{place:03}" + "x" * 200: 1 for place in range(500)}}

    warning = api(merchant).post("/v1/payments", body)["X-Service-Warning"]

    assert warning.endswith("; and 490 more")
    assert len(warning) < 1_000


def test_a_header_that_is_neither_is_refused(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 1}, x_service_strict="yes")

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert not Payment.objects.exists()


@pytest.mark.parametrize("mode", [[], {}, 1, "x", ["ORDER_PAY"]])
def test_a_mode_that_is_none_is_refused_as_such(api: Api, merchant: Merchant, mode: object) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 1, "payment_mode": mode, "total": 1})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert "payment_mode: must be one of" in response.json()["details"]


def test_no_field_has_a_default_which_would_be_lost() -> None:
    """A field that is absent, and may be, is not looked at."""
    kinds = [*Input.__subclasses__(), *Change.__subclasses__()]
    found = [(kind, name, field) for kind in kinds for name, field in kind().fields.items()]

    assert len(found) > 100
    assert [(kind, name) for kind, name, it in found if it.default is not fields.empty] == []
