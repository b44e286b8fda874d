"""POST /v1/webhooks/test with `data`: fields that replace those of the sample."""

import json

import pytest

from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.receiver import Receiver
from webhooks.event_types import EventType
from webhooks.models import Event, Webhook
from webhooks.samples import sample_of

PATH = "/v1/webhooks/test"


def test_fields_of_the_sample_can_be_replaced(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    data = {
        "amount": 2**63,
        "metadata": {"order_id": "é 😀"},
        "customer_id": None,
        "merchant_id": "mer_other",
        "new": [{"deep": None}],
    }

    shown = api(merchant).post(PATH, {"webhook_id": webhook.id, "data": data}).json()

    [request] = receiver.received(webhook.url)
    sent = json.loads(request.body)
    assert shown["event"] == sent
    sample = sample_of(EventType.PAYMENT_COMPLETED, merchant_id=merchant.id)
    del sample["customer_id"]
    named = {name: data[name] for name in ("amount", "metadata", "new")}
    assert sent["data"] == {**sample, **named}


def test_a_live_key_has_no_event_of_its_own_making_signed(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    Webhook.objects.update(livemode=True)
    body = {"webhook_id": webhook.id, "data": {"payment_id": "pay_unpaid", "amount": 5_000}}

    response = api(merchant, live=True).post(PATH, body)

    assert response.status_code == 422
    assert response.json()["details"] == "data: needs a test key"
    assert not receiver.received(webhook.url)
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("text", "must be an object"),
        ([], "must be an object"),
        (5, "must be an object"),
        ({"a": 2**70}, "must be JSON with integers of at most 64 bits"),
        ({"a": float("1e400")}, "must be JSON with integers of at most 64 bits"),
        ({"a": "x" * 16_377}, "must have at most 16384 bytes"),
    ],
)
def test_it_refuses_data_that_no_event_can_have(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, data: object, rule: str
) -> None:
    body = {"webhook_id": endpoint().id, "data": data}
    raw = json.dumps(body).replace("Infinity", "1e400").encode()

    response = api(merchant).post(PATH, raw)

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"] == f"data: {rule}"
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("event_type", "data", "details"),
    [
        ("payment.completed", {"amount": "500"}, "data.amount: must be an integer"),
        ("payment.completed", {"amount": True}, "data.amount: must be an integer"),
        ("payment.completed", {"amount": 5.5}, "data.amount: must be an integer"),
        ("payment.completed", {"status": "failed"}, "data.status: must be completed"),
        ("payment.failed", {"status": "completed"}, "data.status: must be failed"),
        ("payment.completed", {"metadata": []}, "data.metadata: must be an object"),
        ("payment.completed", {"currency": 44}, "data.currency: must be a string"),
        ("payment.completed", {"payment_id": None}, "data.payment_id: must be present"),
        (
            "payment.completed",
            {"completed_at": "yesterday", "amount": {}},
            "data.completed_at: must be an ISO 8601 instant with a time zone; "
            "data.amount: must be an integer",
        ),
        (
            "payout.paid",
            {"arrival_date": "20261124"},
            "data.arrival_date: must be a date of the form YYYY-MM-DD",
        ),
        ("refund.created", {"status": 5}, "data.status: must be a string"),
    ],
)
def test_it_refuses_data_that_contradicts_the_type_of_its_event(
    api: Api,
    merchant: Merchant,
    endpoint: MakeEndpoint,
    event_type: str,
    data: object,
    details: str,
) -> None:
    body = {"webhook_id": endpoint().id, "event_type": event_type, "data": data}

    response = api(merchant).post(PATH, body)

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"] == details
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("event_type", "data"),
    [
        ("refund.created", {"status": "pending"}),
        ("payout.failed", {"status": "returned"}),
        ("inquiry.updated", {"status": "refunded"}),
        ("payment_link.payment.completed", {"status": "used_up"}),
        ("payment.replacement_requested", {"status": "canceled"}),
        ("merchant.updated", {"status": "unverified"}),
        ("payout.paid", {"arrival_date": "2026-12-01"}),
        ("payment.completed", {"completed_at": "2026-12-01T10:00:00-05:00"}),
    ],
)
def test_it_takes_what_events_of_the_type_can_have(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, event_type: str, data: dict[str, object]
) -> None:
    body = {"webhook_id": endpoint().id, "event_type": event_type, "data": data}

    sent = api(merchant).post(PATH, body).json()["event"]["data"]

    assert sent | data == sent


def test_the_most_data_that_an_event_can_have(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    longest = {"a": "x" * 16_376}

    sent = api(merchant).post(PATH, {"webhook_id": endpoint().id, "data": longest})

    assert (sent.status_code, sent.json()["event"]["data"]["a"]) == (200, longest["a"])


def test_the_sample_of_a_changed_merchant_says_when() -> None:
    sample = sample_of(EventType.MERCHANT_UPDATED)

    assert sample["updated_at"] == "2026-11-21T13:00:00.000Z"
