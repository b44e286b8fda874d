"""Whatever goes wrong under /v1 is told in the same three strings, with a request id."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.test import RequestFactory
from prometheus_client import REGISTRY

from core.handler import permission_denied
from merchants.models import Merchant
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "NOT_FOUND"),
        ("GET", "/v1/payments/", 404, "NOT_FOUND"),
        ("GET", "/v1/payments/does-not-exist", 404, "PAYMENT_NOT_FOUND"),
        ("GET", f"/v1/payments/{'a' * 300}", 404, "PAYMENT_NOT_FOUND"),
        ("GET", "/v1/payments/%0a%ff%20é", 404, "PAYMENT_NOT_FOUND"),
        ("POST", "/v1/payments/no-such/cancel", 404, "PAYMENT_NOT_FOUND"),
        ("GET", "/v1/merchants/no-such", 404, "MERCHANT_NOT_FOUND"),
        ("GET", "/v1/payments/a%00b", 400, "INVALID_REQUEST"),
        ("GET", "/v1/payments?x=%00", 400, "INVALID_REQUEST"),
        ("GET", "/v1/payments/../../etc", 404, "NOT_FOUND"),
        ("DELETE", "/v1/payments", 405, "METHOD_NOT_ALLOWED"),
        ("PUT", "/v1/payments/pay_1", 405, "METHOD_NOT_ALLOWED"),
        ("TRACE", "/v1/payments", 405, "METHOD_NOT_ALLOWED"),
        ("OPTIONS", "/v1/payments", 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_unknown_addresses_and_methods(
    api: Api, merchant: Merchant, method: str, path: str, status: int, code: str
) -> None:
    client = api(merchant)
    response = client.client.generic(
        method, path, headers={"Authorization": f"Bearer {client.secret}"}
    )

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert set(response.json()) == {"error", "code", "details"}
    assert response["Content-Type"] == "application/json"
    assert response["X-Request-Id"]


@pytest.mark.parametrize(
    ("path", "host", "details"),
    [
        ("/v1/payments/", "testserver", "Remove the trailing slash."),
        ("/v1/nonsense/", "testserver", ""),
        ("/v1/payments", "shop.example", "Host: not a host name of this service (ALLOWED_HOSTS)."),
        (
            "/v1/payments?" + "&".join(f"a{n}=" for n in range(1_500)),
            "testserver",
            "Too many query parameters.",
        ),
    ],
)
def test_what_is_wrong_with_the_address_is_told(
    api: Api, merchant: Merchant, path: str, host: str, details: str
) -> None:
    response = api(merchant).get(path, Host=host)

    assert response.json()["details"] == details


def test_the_request_id_is_the_callers_where_it_is_plain(api: Api, merchant: Merchant) -> None:
    kept = api(merchant).get("/v1/payments", X_Request_Id="order-17")
    assert kept["X-Request-Id"] == "order-17"
    made = api(merchant).get("/v1/payments", X_Request_Id="a b" * 40)
    assert made["X-Request-Id"].startswith("req_")


def locked_out() -> float:
    return REGISTRY.get_sample_value("database_lock_refusals_total") or 0


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OperationalError("the connection is closed"), 503, "SERVICE_UNAVAILABLE"),
        (OperationalError("database is locked"), 409, "CONFLICT"),
        (ZeroDivisionError("inside"), 500, "INTERNAL_ERROR"),
    ],
)
def test_a_failure_of_ours_tells_nothing_of_the_inside(
    api: Api,
    merchant: Merchant,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    status: int,
    code: str,
) -> None:
    def fail(*args: object, **options: object) -> None:
        raise error

    monkeypatch.setattr("payments.views.create_payment", fail)
    refused = locked_out()
    response = api(merchant).post("/v1/payments", {"amount": 1})

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert locked_out() - refused == (status == 409)
    assert str(error) not in response.content.decode()
    assert response.has_header("Retry-After") == (status != 500)


def test_a_wrong_method_is_told_the_right_ones(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    response = client.client.options("/v1/payments")
    assert response["Allow"] == "GET, POST, HEAD"


def test_each_element_of_a_list_is_named(api: Api, merchant: Merchant) -> None:
    def details(items: object) -> str:
        body = {"payment_mode": "ORDER_PAY", "line_items": items}
        return str(api(merchant).post("/v1/payments", body).json()["details"])

    assert details({}) == "line_items: must be a list of at most 200"
    assert details(["a"]) == "line_items.0: must be an object"
    item = {"name": "Tea", "quantity": 1, "price": 1}
    assert details([item, item | {"name": None}]) == "line_items.1.name: must not be null"
    assert details([item | {"name": ""}, item | {"tax": None}]) == (
        "line_items.0.name: must be a string of 1 to 255 characters"
    )


def test_a_person_without_permission_is_told_on_a_page(rf: RequestFactory) -> None:
    page = permission_denied(rf.get("/admin/payments/"), PermissionDenied())
    assert (page.status_code, page["Content-Type"]) == (403, "text/html; charset=utf-8")
    answer = permission_denied(rf.get("/v1/payments"), PermissionDenied())
    assert (answer.status_code, answer["Content-Type"]) == (401, "application/json")
