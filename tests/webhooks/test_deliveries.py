"""The log of deliveries, one more attempt on request, and everything that failed once more."""

from datetime import timedelta

import pytest

from core.clock import iso
from core.database_clock import database_now
from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.models import Delivery, Event, Webhook
from webhooks.redelivery import RECOVERY_BATCH, continue_recoveries
from webhooks.statuses import DeliveryStatus


def exhaust(webhook: Webhook) -> None:
    start = database_now()
    for hours in range(14):
        while send_due(start + timedelta(hours=hours)):
            pass
    assert not Delivery.objects.pending().filter(webhook=webhook).exists()


def retry_path(delivery: Delivery) -> str:
    return f"/v1/webhooks/{delivery.webhook_id}/deliveries/{delivery.id}/retry"


def test_it_lists_deliveries_with_their_attempts(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500,200?text=" + "a" * 1_100)
    event = emit_event(merchant)
    send_due()

    response = api(merchant).get(f"/v1/webhooks/{webhook.id}/deliveries")

    assert response.status_code == 200
    [shown] = response.json()["deliveries"]
    assert list(shown) == [
        "id", "event_id", "event_type", "webhook_id", "status", "attempts", "next_attempt_at",
        "created_at",
    ]  # fmt: skip
    assert (shown["event_id"], shown["event_type"]) == (event.id, "payment.completed")
    assert (shown["webhook_id"], shown["status"]) == (webhook.id, "pending")
    [attempt] = shown["attempts"]
    assert list(attempt) == ["attempted_at", "status", "ms", "excerpt", "error"]
    assert (attempt["status"], attempt["error"]) == (500, "Answered 500.")
    assert attempt["excerpt"] == "a" * 1_000
    assert 0 <= attempt["ms"] < 5_000
    assert shown["next_attempt_at"] > attempt["attempted_at"]


def test_a_delivered_one_has_no_next_attempt(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    send_due()

    [shown] = api(merchant).get(f"/v1/webhooks/{webhook.id}/deliveries").json()["deliveries"]

    assert shown["status"] == "delivered"
    assert "next_attempt_at" not in shown
    assert list(shown["attempts"][0]) == ["attempted_at", "status", "ms"]


def test_the_log_can_be_narrowed(api: Api, merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/200,500")
    first, second = emit_event(merchant), emit_event(merchant)
    send_due()
    send_due()
    path = f"/v1/webhooks/{webhook.id}/deliveries"

    def found(**query: str) -> list[str]:
        response = api(merchant).get(path, query)
        return [item["event_id"] for item in response.json()["deliveries"]]

    assert found(status="delivered") == [first.id]
    assert found(status="pending") == [second.id]
    assert found(event_id=second.id) == [second.id]
    assert api(merchant).get(path, {"status": "lost"}).status_code == 400


def test_a_failed_delivery_can_be_sent_again(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/500,500,500,500,500,200")
    event = emit_event(merchant)
    exhaust(webhook)

    response = api(merchant).post(retry_path(only_delivery(webhook)))
    assert send_due() == 1

    assert (response.status_code, response.json()["status"]) == (200, "pending")
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED
    requests = receiver.received(webhook.url)
    assert {request.body for request in requests} == {Event.objects.get(pk=event.pk).payload}
    assert len(requests) == 6


def test_sent_again_it_has_a_whole_round_of_attempts(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    exhaust(webhook)

    api(merchant).post(retry_path(only_delivery(webhook)))
    exhaust(webhook)

    assert only_delivery(webhook).status == DeliveryStatus.FAILED
    assert [a.number for a in only_delivery(webhook).attempts.all()] == list(range(1, 11))


def test_a_waiting_delivery_can_be_sent_at_once(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500,200")
    emit_event(merchant)
    send_due()

    api(merchant).post(retry_path(only_delivery(webhook)))

    assert send_due() == 1
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED
    assert only_delivery(webhook).attempt_count == 2


def test_asking_again_and_again_uses_up_no_scheduled_attempt(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    """Presses while the server is down must not end the attempts of the next hours."""
    webhook = endpoint("/say/500")
    emit_event(merchant)
    send_due()

    for _ in range(6):
        api(merchant).post(retry_path(only_delivery(webhook)))
        assert send_due() == 1

    waiting = only_delivery(webhook)
    assert (waiting.status, waiting.attempt_count) == (DeliveryStatus.PENDING, 7)
    exhaust(webhook)
    assert only_delivery(webhook).attempt_count == 11


def test_a_delivered_one_can_be_sent_again(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    send_due()

    assert api(merchant).post(retry_path(only_delivery(webhook))).status_code == 200

    assert send_due() == 1
    assert len(receiver.received(webhook.url)) == 2


def test_while_an_attempt_is_under_way_it_is_refused(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    claim_due_deliveries(free=MANY, now=database_now())

    response = api(merchant).post(retry_path(only_delivery(webhook)))

    assert (response.status_code, response.json()["code"]) == (409, "CONFLICT")
    [shown] = api(merchant).get(f"/v1/webhooks/{webhook.id}/deliveries").json()["deliveries"]
    assert (shown["status"], "next_attempt_at" in shown) == ("pending", False)


def test_to_an_endpoint_switched_off_it_is_refused(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": False})

    for path, body in (
        (retry_path(only_delivery(webhook)), {}),
        (f"/v1/webhooks/{webhook.id}/recover", {"since": "2026-01-01T00:00:00Z"}),
    ):
        response = api(merchant).post(path, body)
        assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")


@pytest.mark.parametrize("mine", [True, False])
def test_an_unknown_delivery_is_404(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, mine: bool
) -> None:
    webhook, other = endpoint(), endpoint()
    emit_event(merchant)
    delivery_id = Delivery.objects.get(webhook=other).id if mine else "dlv_unknown"

    response = api(merchant).post(f"/v1/webhooks/{webhook.id}/deliveries/{delivery_id}/retry")

    assert (response.status_code, response.json()["code"]) == (404, "DELIVERY_NOT_FOUND")


def test_what_failed_is_recovered_in_the_background(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/" + ",".join(["500"] * 10 + ["200"]))
    emit_event(merchant)
    emit_event(merchant)
    exhaust(webhook)
    since = webhook.created_at - timedelta(seconds=1)

    response = api(merchant).post(f"/v1/webhooks/{webhook.id}/recover", {"since": iso(since)})
    Delivery.objects.update(ended_at=since)  # the test's clock ran ahead

    assert response.status_code == 200
    assert response.json()["id"] == webhook.id
    assert response.json()["since"] == iso(since)
    assert continue_recoveries(now=database_now()) == 2
    assert continue_recoveries(now=database_now()) == 0
    webhook.refresh_from_db()
    assert webhook.recover_since is None
    while send_due():
        pass
    assert set(Delivery.objects.values_list("status", flat=True)) == {DeliveryStatus.DELIVERED}


def test_what_is_older_stays_failed(api: Api, merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/410")
    emit_event(merchant)
    send_due()
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": True})

    response = api(merchant).post(
        f"/v1/webhooks/{webhook.id}/recover", {"since": iso(database_now())}
    )

    assert response.json()["deliveries"] == 0
    assert continue_recoveries(now=database_now()) == 0


@pytest.mark.slow
def test_thousands_are_recovered_a_few_at_a_time(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/200")
    for _ in range(3):
        emit_event(merchant)
    failed = RECOVERY_BATCH + 10
    now = database_now()
    event = emit_event(merchant)
    Delivery.objects.all().delete()
    for number in range(failed):
        Delivery.objects.create(
            id=f"dlv_{number:04}",
            event=_another(event, number),
            webhook=webhook,
            status=DeliveryStatus.FAILED,
            created_at=now,
            ended_at=now,
        )

    response = api(merchant).post(f"/v1/webhooks/{webhook.id}/recover", {"since": iso(now)})

    assert response.json()["deliveries"] == failed
    assert continue_recoveries(now=database_now()) == RECOVERY_BATCH
    assert continue_recoveries(now=database_now()) == 0
    while send_due():
        pass
    assert continue_recoveries(now=database_now()) == 10


def _another(event, number: int):
    event.pk = f"evt_{number:04}"
    event._state.adding = True
    event.save(force_insert=True)
    return event


@pytest.mark.parametrize("since", [None, "yesterday", "2999-01-01T00:00:00Z", 5])
def test_recover_needs_an_instant_that_has_been(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, since: object
) -> None:
    webhook = endpoint()

    response = api(merchant).post(f"/v1/webhooks/{webhook.id}/recover", {"since": since})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert "since" in response.json()["details"]
