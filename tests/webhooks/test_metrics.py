"""What /metrics says of webhooks."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from core.database_clock import database_now
from merchants.models import Merchant
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery, send_due
from webhooks.delivery.lanes import MAX_IN_FLIGHT
from webhooks.delivery.leases import claim_due_deliveries, release
from webhooks.models import Delivery, Webhook


@pytest.fixture
def measured(client: Client, db: None):
    def measure(name: str) -> float:
        found = re.search(rf"^webhooks_{name} (\S+)$", client.get("/metrics").text, re.MULTILINE)
        assert found
        return float(found[1])

    return measure


def let_wait(webhook: Webhook, *, minutes: int) -> None:
    due_at = database_now() - timedelta(minutes=minutes)
    Delivery.objects.filter(webhook=webhook).update(next_attempt_at=due_at)


def test_it_says_for_how_long_something_has_been_due(
    merchant: Merchant, endpoint: MakeEndpoint, measured
) -> None:
    assert measured("longest_wait_seconds") == 0
    first, second = endpoint(), endpoint()
    emit_event(merchant)
    let_wait(first, minutes=5)
    let_wait(second, minutes=10)
    assert measured("longest_wait_seconds") == 0  # in test mode, and of endpoints not seen yet
    Webhook.objects.update(livemode=True)
    assert measured("longest_wait_seconds") == 0
    Webhook.objects.update(livemode=False, last_success_at=database_now())
    assert measured("longest_wait_seconds") == 0
    Webhook.objects.update(livemode=True, is_slow=True)
    assert measured("longest_wait_seconds") == 0  # whose own server takes seconds
    Webhook.objects.update(is_slow=False)

    assert 600 <= measured("longest_wait_seconds") < 660
    while send_due():
        pass

    assert measured("longest_wait_seconds") == 0


def test_what_is_not_due_yet_does_not_wait(
    merchant: Merchant, endpoint: MakeEndpoint, measured
) -> None:
    webhook = endpoint("/say/500")
    emit_event(merchant)
    send_due()
    Webhook.objects.update(failures=0)

    assert only_delivery(webhook).next_attempt_at is not None
    assert measured("longest_wait_seconds") == 0


def test_endpoints_that_fail_are_counted_and_their_waiting_is_not(
    merchant: Merchant, endpoint: MakeEndpoint, measured
) -> None:
    failing, off, _, silent = (endpoint(f"/say/{status}") for status in (500, 500, 200, 200))
    emit_event(merchant)
    while send_due():
        pass
    long_ago = database_now() - timedelta(hours=2)
    Webhook.objects.filter(pk=silent.pk).update(last_success_at=long_ago)
    Webhook.objects.filter(pk=off.pk).update(is_active=False, disabled_reason="requested")
    let_wait(failing, minutes=60)

    assert measured("failing_endpoints") == 1
    assert measured("working_endpoints") == 1
    assert measured("longest_wait_seconds") == 0


def test_what_waits_for_its_own_endpoint_is_not_waiting_for_us(
    merchant: Merchant, endpoint: MakeEndpoint, measured
) -> None:
    caught_up = endpoint()
    for _ in range(MAX_IN_FLIGHT + 1):
        emit_event(merchant)
    let_wait(caught_up, minutes=10)
    Webhook.objects.update(livemode=True, last_success_at=database_now())
    [first, *_] = claim_due_deliveries(free=MANY, now=database_now()).taken

    assert measured("longest_wait_seconds") == 0  # as many are under way as it may have at once
    release(first)
    assert 600 <= measured("longest_wait_seconds") < 660
