"""How an endpoint is doing at this moment, and the alarm after minutes."""

from datetime import timedelta

import pytest

from core.database_clock import database_now
from merchants.models import Merchant
from messages.models import Message
from outbound.results import HttpResult
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import (
    MANY,
    emit_event,
    endpoint_of,
    only_delivery,
    told,
    waiting,
)
from webhooks import endpoint_health
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.delivery.outcomes import record_result
from webhooks.endpoint_health import NextAttempt, health_of, next_attempt_of
from webhooks.models import Delivery, Webhook
from webhooks.statuses import ALARM_AFTER, AlertKind

REFUSED = HttpResult(ms=5, error="Connection refused.")


def attempt(merchant: Merchant, result: HttpResult) -> None:
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken
    record_result(claim, result)


def test_a_failure_leaves_its_reason_and_a_success_clears_it(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()

    attempt(merchant, HttpResult(ms=5, status=503))
    webhook.refresh_from_db()
    assert webhook.last_error == "It answered 503."
    attempt(merchant, REFUSED)
    webhook.refresh_from_db()
    assert webhook.last_error == "Connection refused."
    assert list(Webhook.objects.failing()) == [webhook]

    attempt(merchant, HttpResult(ms=5, status=200))
    webhook.refresh_from_db()
    assert (webhook.last_error, webhook.alarmed_at) == ("", None)
    assert not Webhook.objects.failing().exists()


def test_its_merchant_is_told_after_minutes_and_once(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    attempt(merchant, REFUSED)
    Webhook.objects.update(failing_since=database_now() - ALARM_AFTER + timedelta(seconds=30))
    attempt(merchant, REFUSED)
    assert not Message.objects.filter(kind=AlertKind.UNHEALTHY).exists()

    Webhook.objects.update(failing_since=database_now() - ALARM_AFTER)
    attempt(merchant, REFUSED)
    attempt(merchant, REFUSED)

    message = Message.objects.get(kind=AlertKind.UNHEALTHY)
    assert (message.about, message.recipient) == (webhook.pk, merchant.email)
    assert "3 attempts in a row have failed" in message.text
    assert "Connection refused." in message.text
    webhook.refresh_from_db()
    assert webhook.alarmed_at is not None


def test_what_waits_is_counted_with_its_next_attempt(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    assert health_of(webhook, database_now()).next_attempt is None
    attempt(merchant, REFUSED)
    now = database_now()
    due_at = only_delivery(webhook).next_attempt_at

    health = health_of(webhook, now)

    assert (health.waiting, health.next_attempt) == (1, NextAttempt(due_at))


@pytest.mark.parametrize("late", [timedelta(0), timedelta(days=1)])
def test_an_attempt_that_is_due_has_no_instant_in_the_past(
    merchant: Merchant, endpoint: MakeEndpoint, late: timedelta
) -> None:
    webhook = endpoint()
    attempt(merchant, REFUSED)
    delivery = only_delivery(webhook)
    assert delivery.next_attempt_at is not None
    now = delivery.next_attempt_at + late

    assert next_attempt_of(delivery, now) == NextAttempt()
    assert health_of(webhook, now).next_attempt == NextAttempt()


def test_while_an_endpoint_is_paused_its_end_is_the_next_attempt(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    until = database_now() + timedelta(minutes=20)
    Webhook.objects.update(paused_until=until)
    webhook.refresh_from_db()

    assert health_of(webhook, database_now()).next_attempt == NextAttempt(until)
    assert next_attempt_of(only_delivery(webhook), database_now()) == NextAttempt(until)


def test_an_attempt_under_way_is_told_apart(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    emit_event(merchant)
    assert claim_due_deliveries(free=MANY, now=database_now()).taken
    now, delivery = database_now(), only_delivery(webhook)
    assert delivery.next_attempt_at is not None

    assert health_of(webhook, now).next_attempt == NextAttempt(is_under_way=True)
    assert next_attempt_of(delivery, now) == NextAttempt(is_under_way=True)
    # The holder has died: the delivery is due again.
    assert next_attempt_of(delivery, delivery.next_attempt_at) == NextAttempt()


def test_what_has_ended_is_tried_no_more(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    attempt(merchant, HttpResult(ms=5, status=200))

    assert next_attempt_of(Delivery.objects.get(webhook=webhook), database_now()) is None


@pytest.mark.parametrize(("due", "is_under_way"), [(0, True), (4, True), (5, False)])
def test_as_many_are_looked_at_as_can_be_under_way(
    merchant: Merchant, due: int, is_under_way: bool
) -> None:
    mine, other = (endpoint_of(merchant, f"https://{name}.example.com/") for name in "ab")
    now = database_now()
    for number in range(due):
        told(mine, str(number), now, **waiting(now - timedelta(seconds=number)))
    told(mine, "leased", now, lease_token="x", **waiting(now + ALARM_AFTER))
    told(other, "other", now, **waiting(now))

    health = health_of(mine, now)

    assert health.waiting == due + 1
    assert health.next_attempt == NextAttempt(is_under_way=is_under_way)


@pytest.mark.parametrize(("there", "counted"), [(2, 2), (3, 3), (4, 3)])
def test_what_waits_is_counted_so_far_and_no_further(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch, there: int, counted: int
) -> None:
    monkeypatch.setattr(endpoint_health, "COUNTED", 2)
    webhook, now = endpoint_of(merchant, "https://a.example.com/"), database_now()
    for number in range(there):
        told(webhook, str(number), now, **waiting(now))

    assert health_of(webhook, now).waiting == counted
