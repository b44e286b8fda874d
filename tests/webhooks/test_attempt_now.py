"""An attempt for which its request waits: what another process does of it is waited for."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from pytest_django import Settings

from core.database_clock import database_now
from core.errors import Conflict
from merchants.models import Merchant
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery
from tests.webhooks.receiver import Receiver
from webhooks import attempt_now as waiting
from webhooks.attempt_now import attempt_now
from webhooks.models import Attempt, Delivery, Webhook

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

    delivery = attempt_now(only_delivery(webhook).pk)

    assert (delivery.status, delivery.attempt_count) == ("canceled", 0)
    assert receiver.received(webhook.url) == []


def test_one_that_another_process_makes_for_too_long_is_not_waited_for(
    webhook: Webhook, receiver: Receiver, settings: Settings
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.05
    held = database_now() + timedelta(minutes=1)
    Delivery.objects.update(lease_token="another", next_attempt_at=held)

    with pytest.raises(Conflict) as refused:
        attempt_now(only_delivery(webhook).pk)

    assert (refused.value.status, refused.value.code) == (409, "CONFLICT")
    assert refused.value.details == "The attempt is still under way."
    assert (receiver.received(webhook.url), Attempt.objects.count()) == ([], 0)


def test_what_another_process_makes_of_it_is_waited_for(
    webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit_event(webhook.merchant)
    now = database_now()
    first, other = Delivery.objects.order_by("pk")
    Delivery.objects.update(lease_token="another", next_attempt_at=now + timedelta(minutes=1))
    for number, delivery in ((1, first), (2, other)):
        Attempt.objects.create(delivery=delivery, number=number, attempted_at=now, ms=5)
    slept = list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            Attempt.objects.create(delivery=first, number=2, attempted_at=now, ms=7)

    clock = SimpleNamespace(monotonic=lambda: sum(slept), sleep=sleep)
    monkeypatch.setattr(waiting, "time", clock)

    delivery = attempt_now(first.pk, after=1)

    assert [attempt.ms for attempt in delivery.attempts.all()] == [5, 7]
    assert slept == [0.1] * 3
    assert attempt_now(first.pk, after=1) == attempt_now(first.pk) == delivery


def test_the_next_attempt_is_made_where_only_those_before_were(
    webhook: Webhook, receiver: Receiver
) -> None:
    Delivery.objects.update(attempt_count=1, round_attempts=1)
    made = only_delivery(webhook)
    Attempt.objects.create(delivery=made, number=1, attempted_at=database_now(), ms=5)

    delivery = attempt_now(made.pk, after=1)

    assert [attempt.number for attempt in delivery.attempts.all()] == [1, 2]
    assert len(receiver.received(webhook.url)) == 1
