from datetime import timedelta
from itertools import pairwise
from urllib.parse import quote

import pytest
from django.core import mail

from core.database_clock import database_now
from merchants.models import Merchant
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.delivery.retry_schedule import requested_wait
from webhooks.models import Delivery, Event, Webhook
from webhooks.statuses import AlertKind, DeliveryStatus

STEPS = (300, 1_800, 7_200, 21_600)
MILLISECOND = timedelta(milliseconds=1)


def waits(webhook: Webhook) -> list[float]:
    """Run the dispatcher when something is due, and just before; return the waits in between.

    A wait begins at the end of the attempt before, however long that took.
    """
    while pending := Delivery.objects.pending().filter(webhook=webhook).first():
        assert pending.next_attempt_at is not None
        assert send_due(pending.next_attempt_at - MILLISECOND) == 0
        assert send_due(pending.next_attempt_at) == 1
    attempts = list(only_delivery(webhook).attempts.all())
    return [
        (later.attempted_at - earlier.attempted_at - earlier.ms * MILLISECOND).total_seconds()
        for earlier, later in pairwise(attempts)
    ]


def test_a_success_is_the_end(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/204")
    emit_event(merchant)

    assert send_due() == 1
    assert send_due(database_now() + timedelta(days=2)) == 0

    delivery = only_delivery(webhook)
    assert delivery.status == DeliveryStatus.DELIVERED
    assert delivery.next_attempt_at is None
    assert [attempt.status for attempt in delivery.attempts.all()] == [204]
    assert len(receiver.received(webhook.url)) == 1


def test_the_schedule_is_that_of_the_contract(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)

    assert waits(webhook) == list(STEPS)

    assert only_delivery(webhook).status == DeliveryStatus.FAILED
    assert len(receiver.received(webhook.url)) == 5


@pytest.mark.django_db
def test_the_steps_can_be_scaled(
    merchant: Merchant, endpoint: MakeEndpoint, settings, receiver: Receiver
) -> None:
    settings.WEBHOOK_RETRY_SECONDS = [step / 1_000 for step in STEPS]
    webhook = endpoint("/say/500")
    emit_event(merchant)

    assert waits(webhook) == settings.WEBHOOK_RETRY_SECONDS


def test_every_attempt_has_the_same_bytes_and_its_own_time(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/500,503,200")
    event = emit_event(merchant)
    start = database_now()

    for seconds in (0, 301, 301 + 1_801):
        assert send_due(start + timedelta(seconds=seconds)) == 1

    requests = receiver.received(webhook.url)
    assert {request.body for request in requests} == {Event.objects.get(pk=event.pk).payload}
    assert {request.headers["webhook-id"] for request in requests} == {event.id}
    assert {request.headers["x-service-signature"] for request in requests} == {
        requests[0].headers["x-service-signature"]
    }
    assert len({request.headers["webhook-signature"] for request in requests}) == 3
    delivery = only_delivery(webhook)
    assert delivery.status == DeliveryStatus.DELIVERED
    assert [(a.number, a.status) for a in delivery.attempts.all()] == [(1, 500), (2, 503), (3, 200)]


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_acknowledges(merchant: Merchant, endpoint: MakeEndpoint, status: int) -> None:
    webhook = endpoint(f"/say/{status}")
    emit_event(merchant)

    send_due()

    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


@pytest.mark.parametrize("status", [301, 302, 307, 308, 400, 401, 404, 500, 503])
def test_anything_else_does_not(merchant: Merchant, endpoint: MakeEndpoint, status: int) -> None:
    webhook = endpoint(f"/say/{status}")
    emit_event(merchant)

    send_due()

    delivery = only_delivery(webhook)
    assert delivery.status == DeliveryStatus.PENDING
    [attempt] = delivery.attempts.all()
    assert attempt.status == status
    assert attempt.error.startswith(f"Answered {status}")


def test_a_redirect_is_not_followed(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    inside = receiver.url("/say/200/inside")
    for status in (301, 302, 303, 307, 308):
        endpoint(f"/say/{status}?Location={inside}")
    emit_event(merchant)

    assert send_due() == 5

    assert receiver.received("/say/200/inside") == []
    assert Delivery.objects.filter(status=DeliveryStatus.PENDING).count() == 5


def test_exhaustion_is_told_to_the_merchant_once_a_day(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    emit_event(merchant)

    start = (database_now() + timedelta(days=1)).replace(hour=0, minute=0)  # all in one day
    for hours in range(14):
        send_due(start + timedelta(hours=hours))
        send_due(start + timedelta(hours=hours, minutes=1))
    at = start + timedelta(hours=14)
    assert send_due_messages(now=at) == 2
    assert send_due_messages(now=at) == 0

    assert Delivery.objects.exhausted().count() == 2
    assert Message.objects.get(kind=AlertKind.EXHAUSTED).about == webhook.id
    assert Message.objects.get(kind=AlertKind.UNHEALTHY).about == webhook.id
    [message] = [mail for mail in mail.outbox if "not answering" in mail.subject]
    assert message.to == [merchant.email]
    assert "localhost" in str(message.body)
    assert webhook.url not in str(message.body)
    assert [row.id in str(message.body) for row in Delivery.objects.all()].count(True) == 1


def test_gone_switches_the_endpoint_off(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/410")
    emit_event(merchant)

    send_due()
    emit_event(merchant)

    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.disabled_reason) == (False, "gone")
    assert only_delivery(webhook).status == DeliveryStatus.FAILED
    assert send_due(database_now() + timedelta(days=1)) == 0
    assert len(receiver.received(webhook.url)) == 1
    assert send_due_messages(now=database_now()) == 1
    assert [str(message.subject) for message in mail.outbox] == [
        "Your webhook endpoint has been switched off"
    ]


def test_five_days_without_success_switch_the_endpoint_off(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    start = database_now()
    for hours in range(14):
        send_due(start + timedelta(hours=hours))
    emit_event(merchant)
    send_due(start + timedelta(days=5) - timedelta(minutes=1))
    webhook.refresh_from_db()
    assert webhook.is_active

    send_due(start + timedelta(days=5, minutes=5))

    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.disabled_reason) == (False, "failing")
    assert Message.objects.filter(kind=AlertKind.FAILING).count() == 1


def test_one_success_begins_the_five_days_anew(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/500,500,500,500,500,200,500")
    start = database_now()
    emit_event(merchant)
    for hours in range(14):
        send_due(start + timedelta(hours=hours))
    emit_event(merchant)
    send_due(start + timedelta(days=3))
    emit_event(merchant)

    send_due(start + timedelta(days=6))

    webhook.refresh_from_db()
    assert webhook.is_active
    assert webhook.failures == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 300),  # never earlier than the schedule
        ("900", 900),
        ("259200", 21_600),  # three days: as long as the longest step
        ("-1", 300),
        ("soon", 300),
        ("Mon, 01 Jan 2035 00:00:00 GMT", 21_600),
        ("Thu, 01 Jan 1998 00:00:00 GMT", 300),
        ("9" * 500, 21_600),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_patience_is_granted_within_limits(
    merchant: Merchant, endpoint: MakeEndpoint, status: int, header: str, seconds: int
) -> None:
    webhook = endpoint(f"/say/{status}?Retry-After={quote(header)}")
    emit_event(merchant)

    send_due()

    delivery = only_delivery(webhook)
    [attempt] = delivery.attempts.all()
    ended_at = attempt.attempted_at + attempt.ms * MILLISECOND
    assert delivery.next_attempt_at == ended_at + timedelta(seconds=seconds)


def test_a_deleted_endpoint_is_sent_nothing_more(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver, api
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    send_due()

    api(merchant).delete(f"/v1/webhooks/{webhook.id}")

    assert send_due(database_now() + timedelta(hours=1)) == 0
    assert len(receiver.received(webhook.url)) == 1


def test_an_edited_endpoint_is_called_at_its_new_address(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver, api
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    send_due()
    moved = receiver.url(f"/say/200/{webhook.id}")

    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"url": moved})
    send_due(database_now() + timedelta(hours=1))

    assert len(receiver.received(webhook.url)) == 1
    assert len(receiver.received(moved)) == 1
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


def test_patience_without_end_is_read_so_far_only() -> None:
    asked = requested_wait(503, "1" * 20, at=database_now())

    assert asked == timedelta(seconds=111_111_111)
