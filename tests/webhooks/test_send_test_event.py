"""POST /v1/webhooks/test: a sample event, at once."""

import json
from contextlib import ExitStack, suppress
from datetime import timedelta

import pytest
from django.conf import settings

from core.clock import utc_now
from core.errors import RateLimited
from merchants.known_keys import forget_keys
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Message
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.attempt_now import attempt_now, waiting_slot
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event
from webhooks.redelivery import close_undeliverable
from webhooks.samples import sample_of
from webhooks.statuses import DeliveryStatus
from webhooks.test_event import HEAD_START
from webhooks.waiting_slots import WAITING_PER_CALLER

PATH = "/v1/webhooks/test"


@pytest.mark.parametrize("event_type", EventType.values)
def test_it_sends_a_sample_of_every_type(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver, event_type: str
) -> None:
    webhook = endpoint("/say/200?text=thanks", events=("payment.failed",))

    response = api(merchant).post(PATH, {"webhook_id": webhook.id, "event_type": event_type})

    [request] = receiver.received(webhook.url)
    shown = response.json()
    assert response.status_code == 200
    assert list(shown) == ["event", "delivery_id", "delivered", "status", "ms", "excerpt"]
    assert shown["event"] == json.loads(request.body)
    sample = sample_of(EventType(event_type), merchant_id=merchant.id)
    assert shown["event"]["data"] == sample
    assert sample.get("merchant_id", merchant.id) == merchant.id
    assert shown["event"]["type"] == event_type
    assert (shown["event"]["livemode"], shown["event"]["test"]) == (False, True)
    assert "sequence" not in shown["event"]
    assert (shown["delivered"], shown["status"], shown["excerpt"]) == (True, 200, "thanks")


def test_without_a_type_it_is_a_completed_payment(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    response = api(merchant).post(PATH, {"webhook_id": endpoint().id})

    assert response.json()["event"]["type"] == "payment.completed"


@pytest.mark.parametrize("answer", ["/say/200", "/say/500?text=broken", ""])
def test_the_reference_asks_for_no_field_that_is_left_out(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, openapi: str, answer: str
) -> None:
    webhook = endpoint(answer, url="" if answer else "http://localhost:1024/")

    shown = api(merchant).post(PATH, {"webhook_id": webhook.id}).json()

    schemas = json.loads(openapi)["components"]["schemas"]
    assert set(schemas["TestEventOutput"]["required"]) <= shown.keys()


def test_it_tells_how_the_endpoint_failed_and_tries_no_more(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500?text=broken")

    shown = api(merchant).post(PATH, {"webhook_id": webhook.id}).json()

    assert (shown["delivered"], shown["status"]) == (False, 500)
    assert (shown["excerpt"], shown["error"]) == ("broken", "Answered 500.")
    assert only_delivery(webhook).status == DeliveryStatus.FAILED
    webhook.refresh_from_db()
    assert (webhook.failures, Message.objects.count()) == (0, 0)


def test_it_tells_that_no_server_answered(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint(url="http://localhost:1024/")

    shown = api(merchant).post(PATH, {"webhook_id": webhook.id}).json()

    assert "status" not in shown
    assert shown["error"] == "The connection was refused."


def test_the_same_key_sends_once_and_answers_alike(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    first, again = (
        api(merchant).post(PATH, {"webhook_id": webhook.id}, idempotency_key="try")
        for _ in range(2)
    )

    assert first.content == again.content
    assert again["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    assert len(receiver.received(webhook.url)) == 1


def test_a_request_that_died_before_it_called_is_finished_by_its_repetition(
    api: Api,
    merchant: Merchant,
    endpoint: MakeEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook = endpoint()
    body = {"webhook_id": webhook.id}
    with monkeypatch.context() as patch:
        patch.setattr("webhooks.views.attempt_now", lambda _: 1 / 0)
        assert api(merchant).post(PATH, body, idempotency_key="try").status_code == 500
    assert receiver.received(webhook.url) == []

    response = api(merchant).post(PATH, body, idempotency_key="try")

    assert (response.status_code, response.json()["delivered"]) == (200, True)
    assert len(receiver.received(webhook.url)) == 1


def test_a_request_that_died_is_finished_by_the_sweep(
    api: Api,
    merchant: Merchant,
    endpoint: MakeEndpoint,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook = endpoint()
    monkeypatch.setattr("webhooks.views.attempt_now", lambda _: 1 / 0)
    api(merchant).post(PATH, {"webhook_id": webhook.id})

    due_at = only_delivery(webhook).next_attempt_at
    assert due_at == only_delivery(webhook).created_at + HEAD_START
    assert send_due(due_at - timedelta(milliseconds=1)) == 0
    assert send_due(due_at) == 1

    assert len(receiver.received(webhook.url)) == 1


def test_a_request_that_died_is_left_to_the_sweep_even_where_the_endpoint_is_off(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = endpoint()
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": False})

    def tidy_first(delivery_id: str) -> Delivery:
        assert close_undeliverable(now=utc_now()) == 0
        return attempt_now(delivery_id)

    monkeypatch.setattr("webhooks.views.attempt_now", tidy_first)

    shown = api(merchant).post(PATH, {"webhook_id": webhook.id}).json()

    assert (shown["delivered"], shown["status"]) == (True, 200)


def test_the_web_server_never_waits_for_endpoints_with_all_its_threads(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    with ExitStack() as waiting:
        for number in range(max(1, settings.WEB_THREADS // 2)):
            waiting.enter_context(waiting_slot(f"mer_{number} test"))

        response = api(merchant).post(PATH, {"webhook_id": webhook.id})

    assert (response.status_code, response.json()["code"]) == (429, "RATE_LIMITED")
    assert response["Retry-After"] == str(settings.WEBHOOK_TIMEOUT_SECONDS)
    assert (Event.objects.count(), receiver.received(webhook.url)) == (0, [])
    assert api(merchant).post(PATH, {"webhook_id": webhook.id}).status_code == 200


def test_one_caller_leaves_places_for_the_others(
    api: Api, merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint
) -> None:
    """Anyone can register, and let slow endpoints of their own hold every place for good."""
    with ExitStack() as waiting:
        for _ in range(WAITING_PER_CALLER):
            waiting.enter_context(waiting_slot(f"{stranger.id} test", "203.0.113.0/24"))
        with pytest.raises(RateLimited), waiting_slot(f"{stranger.id} test", "198.51.100.0/24"):
            pass
        with pytest.raises(RateLimited), waiting_slot("mer_another test", "203.0.113.0/24"):
            pass

        response = api(merchant).post(PATH, {"webhook_id": endpoint().id})

    assert response.status_code == 200


def test_strangers_of_many_networks_leave_places_for_the_verified(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    with ExitStack() as waiting:
        with suppress(RateLimited):
            for number in range(settings.WEB_THREADS):
                waiting.enter_context(
                    waiting_slot(f"mer_{number} test", f"203.0.{number}.0/24", is_self_service=True)
                )
        assert api(merchant).post(PATH, {"webhook_id": webhook.id}).status_code == 200

        Merchant.objects.filter(pk=merchant.pk).update(status=MerchantStatus.UNVERIFIED)
        forget_keys()
        assert api(merchant).post(PATH, {"webhook_id": webhook.id}).status_code == 429


def test_its_places_are_the_merchants_and_its_networks(
    api: Api, merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    for caller in (f"{merchant.id} test", "127.0.0.0/24"):
        with ExitStack() as waiting:
            for _ in range(WAITING_PER_CALLER):
                waiting.enter_context(waiting_slot(caller))
            refused = api(merchant).post(PATH, {"webhook_id": webhook.id})
        assert refused.status_code == 429


def test_samples_are_no_facts(api: Api, merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    shown = api(merchant).post(PATH, {"webhook_id": webhook.id}).json()
    fact = emit_event(merchant)

    listed = api(merchant).get("/v1/events").json()["events"]

    assert [event["id"] for event in listed] == [fact.id]
    assert api(merchant).get(f"/v1/events/{shown['event']['id']}").json() == shown["event"]


def test_it_goes_to_this_endpoint_only(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook, _ = endpoint(), endpoint()

    api(merchant).post(PATH, {"webhook_id": webhook.id})

    assert Delivery.objects.get().webhook == webhook


@pytest.mark.parametrize("who", ["stranger", "other mode", "unknown"])
def test_an_endpoint_that_is_not_the_callers_does_not_exist(
    api: Api, merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint, who: str
) -> None:
    webhook_id = "wh_unknown" if who == "unknown" else endpoint().id
    caller = api(stranger if who == "stranger" else merchant, live=who == "other mode")

    response = caller.post(PATH, {"webhook_id": webhook_id})

    assert (response.status_code, response.json()["code"]) == (404, "WEBHOOK_NOT_FOUND")
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    "body",
    [{}, {"webhook_id": 5}, {"event_type": "*"}, {"event_type": "payment.paid"}],
)
def test_it_refuses_what_it_cannot_send(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, body: dict[str, object]
) -> None:
    if "event_type" in body:
        body = body | {"webhook_id": endpoint().id}

    response = api(merchant).post(PATH, body)

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert Event.objects.count() == 0
