"""The `details` of the reference's errors are those of the errors themselves."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from tests.client import Api, ApiClient

pytestmark = pytest.mark.django_db
OWNER = {"email": "owner@example.com"}


def of_payment(
    act: str, body: dict[str, Any], *, after: str = "", phone: str = "+12425550100"
) -> Callable[[ApiClient, Merchant], Any]:
    """Return what does something with a new payment, after something else."""

    def provoke(client: ApiClient, merchant: Merchant) -> Any:
        path = client.post("/v1/payments", {"amount": 1250})["Location"]
        if after:
            confirmation = {"customer_phone": phone} if after == "confirm" else {}
            assert client.post(f"{path}/{after}", confirmation).status_code == 200
        return client.post(f"{path}/{act}", body)

    return provoke


def of_link_deactivated(client: ApiClient, merchant: Merchant) -> Any:
    path = client.post("/v1/payment-links", {"amount": 1250})["Location"]
    return [client.post(f"{path}/deactivate") for _ in range(2)][1]


def of_scope(client: ApiClient, merchant: Merchant) -> Any:
    issued = issue_key(
        merchant=merchant, livemode=False, name="Reads", scopes="*:read", now=utc_now()
    )
    return ApiClient(issued.secret).post("/v1/payments", {"amount": 1})


def with_live_key(client: ApiClient, merchant: Merchant) -> Any:
    live = Api()(merchant, live=True)
    return live.post(live.post("/v1/payments", {"amount": 1})["Location"] + "/confirm")


PROVOKED: dict[str, Callable[[ApiClient, Merchant], Any]] = {
    "INVALID_REQUEST": lambda client, _: client.get("/v1/payments", {"limit": "0"}),
    "UNAUTHORIZED": lambda *_: ApiClient("sk_test_0").get("/v1/payments"),
    "INSUFFICIENT_SCOPE": of_scope,
    "METHOD_NOT_ALLOWED": lambda client, _: client.delete("/v1/payments"),
    "REQUEST_TOO_LARGE": lambda client, _: client.post("/v1/payments", b" " * 300_000),
    "UNSUPPORTED_MEDIA_TYPE": lambda client, _: client.client.post(
        "/v1/payments", "amount=1", content_type="text/plain", headers=client._headers({})
    ),
    "DEVELOPMENT_ONLY": with_live_key,
    "INVALID_AMOUNT": lambda client, _: client.post("/v1/payments", {"amount": 0}),
    "PAYMENT_ALREADY_COMPLETED": of_payment("cancel", {}, after="confirm"),
    "PAYMENT_CANCELED": of_payment("cancel", {}, after="cancel"),
    "PAYMENT_EXPIRED": of_payment("confirm", {}, after="expire"),
    "PAYMENT_IN_PROGRESS": of_payment("cancel", {}, after="confirm", phone="+12425550104"),
    "PAYMENT_LINK_INACTIVE": of_link_deactivated,
    "PAYMENT_NOT_COMPLETED": of_payment("refund", {}),
    "REFUND_AMOUNT_MISMATCH": of_payment("refund", {"refund_amount_available": 1}, after="confirm"),
    "REFUND_EXCEEDS_PAYMENT": of_payment("refund", {"amount": 1251}, after="confirm"),
    "SLUG_TAKEN": lambda client, merchant: client.post(
        "/v1/merchants", {"name": "Twin", "slug": merchant.slug, **OWNER}
    ),
    "VALIDATION_FAILED": lambda client, _: client.post(
        "/v1/payments", {"amount": 1, "currency": "bsd"}
    ),
}


def examples_in(document: str) -> dict[str, dict[str, str]]:
    responses = json.loads(document)["components"]["responses"].values()
    return {
        code: example["value"]
        for response in responses
        for code, example in response["content"]["application/json"]["examples"].items()
    }


@pytest.mark.parametrize("code", PROVOKED)
def test_an_example_is_what_is_answered(
    openapi: str, api: Api, merchant: Merchant, code: str
) -> None:
    assert PROVOKED[code](api(merchant), merchant).json() == examples_in(openapi)[code]


def test_examples_with_details_are_provoked(openapi: str) -> None:
    examples = examples_in(openapi)

    assert {code for code, example in examples.items() if example["details"]} == set(PROVOKED)
