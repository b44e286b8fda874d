"""An attempt for which its request waits: what another process does of it is waited for."""

from datetime import timedelta

import pytest
from pytest_django import Settings

from core.database_clock import database_now
from core.errors import Conflict
from merchants.models import Merchant
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery
from tests.webhooks.receiver import Receiver
from webhooks.models import Attempt, Delivery, Webhook
from webhooks.test_event import finish_test_delivery

pytestmark = pytest.mark.django_db


@pytest.fixture
def webhook(merchant: Merchant, endpoint: MakeEndpoint) -> Webhook:
    """An endpoint with a delivery that waits for its first attempt."""
    made = endpoint()
    emit_event(merchant)
    return made


def test_one_that_has_ended_meanwhile_is_attempted_no_more(
    webhook: Webhook, receiver: Receiver
) -> None:
    ended = {"status": "canceled", "next_attempt_at": None, "ended_at": database_now()}
    Delivery.objects.update(**ended)

    delivery = finish_test_delivery(only_delivery(webhook).pk)

    assert (delivery.status, delivery.attempt_count) == ("canceled", 0)
    assert receiver.received(webhook.url) == []


def test_one_that_another_process_makes_for_too_long_is_not_waited_for(
    webhook: Webhook, receiver: Receiver, settings: Settings
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.05
    held = database_now() + timedelta(minutes=1)
    Delivery.objects.update(lease_token="another", next_attempt_at=held)

    with pytest.raises(Conflict) as refused:
        finish_test_delivery(only_delivery(webhook).pk)

    assert (refused.value.status, refused.value.code) == (409, "CONFLICT")
    assert refused.value.details == "The attempt is still under way."
    assert (receiver.received(webhook.url), Attempt.objects.count()) == ([], 0)
