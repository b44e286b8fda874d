"""What we cannot send for a reason of our own costs no attempt and is not the endpoint's fault."""

from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from django.db import OperationalError
from pytest_django import Settings

from core.database_clock import database_now
from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery
from tests.webhooks.receiver import Receiver
from webhooks.delivery import attempts, dispatcher, order
from webhooks.delivery.dispatcher import _attempt_and_keep_recording
from webhooks.delivery.leases import POSTPONED_FOR, claim_due_deliveries
from webhooks.models import Attempt, Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db


def _dispatch(at_least: int = 1) -> None:
    claims = claim_due_deliveries(free=MANY, now=database_now()).taken
    assert len(claims) >= at_least
    for claim in claims:
        _attempt_and_keep_recording(claim)


def test_a_missing_key_postpones_the_delivery(
    merchant: Merchant, endpoint: MakeEndpoint, settings: Settings
) -> None:
    webhook, before = endpoint(), database_now()
    emit_event(merchant)
    settings.ENCRYPTION_KEY = Fernet.generate_key().decode()

    _dispatch()

    delivery = only_delivery(webhook)
    webhook.refresh_from_db()
    assert delivery.status == DeliveryStatus.PENDING
    assert (delivery.attempt_count, delivery.round_attempts, delivery.lease_token) == (0, 0, "")
    assert delivery.next_attempt_at is not None
    assert delivery.next_attempt_at >= before + POSTPONED_FOR
    assert (webhook.failures, webhook.failing_since, Attempt.objects.count()) == (0, None, 0)


def test_it_is_sent_once_the_key_is_back(
    merchant: Merchant, endpoint: MakeEndpoint, settings: Settings
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    key, settings.ENCRYPTION_KEY = settings.ENCRYPTION_KEY, Fernet.generate_key().decode()
    _dispatch()
    settings.ENCRYPTION_KEY = key

    later = database_now() + POSTPONED_FOR + timedelta(seconds=1)
    [claim] = claim_due_deliveries(free=MANY, now=later).taken
    _attempt_and_keep_recording(claim)

    delivery = only_delivery(webhook)
    assert (delivery.status, delivery.attempt_count) == (DeliveryStatus.DELIVERED, 1)


def test_what_was_postponed_is_found_behind_all_that_it_holds_up(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(order, "WINDOW", 2)
    monkeypatch.setattr(order, "_window", order._window.__wrapped__)  # prepared for another
    endpoint()
    Webhook.objects.update(last_success_at=database_now())
    key, settings.ENCRYPTION_KEY = settings.ENCRYPTION_KEY, Fernet.generate_key().decode()
    postponed = {emit_event(merchant, about=f"pay_{number}").id for number in range(2)}
    _dispatch(at_least=2)
    settings.ENCRYPTION_KEY = key
    for number in range(2):
        emit_event(merchant, about=f"pay_{number}")

    later = database_now() + POSTPONED_FOR + timedelta(seconds=1)
    claims = claim_due_deliveries(free=MANY, now=later).taken

    assert {claim.delivery.event_id for claim in claims} == postponed


def test_a_bug_of_ours_does_not_count_against_an_endpoint(
    merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    monkeypatch.setattr(attempts, "post", lambda *_, **__: 1 // 0)

    _dispatch()

    webhook.refresh_from_db()
    assert (only_delivery(webhook).attempt_count, webhook.failures) == (0, 0)


def test_a_test_event_says_that_the_fault_is_ours(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, settings: Settings
) -> None:
    webhook = endpoint()
    settings.ENCRYPTION_KEY = Fernet.generate_key().decode()

    response = api(merchant).post(
        "/v1/webhooks/test", {"webhook_id": webhook.id, "event_type": "payment.completed"}
    )

    assert (response.status_code, response.json()["code"]) == (503, "SERVICE_UNAVAILABLE")
    delivery = only_delivery(webhook)
    assert (delivery.attempt_count, delivery.lease_token) == (0, "")


def test_what_cannot_be_recorded_is_sent_again_when_its_lease_ends(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = endpoint()
    emit_event(merchant)

    def refuse(*_: object) -> None:
        raise OperationalError

    with monkeypatch.context() as away:
        away.setattr(dispatcher, "record_result", refuse)
        away.setattr(dispatcher, "close_old_connections", lambda: None)
        away.setattr(dispatcher, "RECORD_RETRY_SECONDS", (0, 0.01))
        _dispatch()
    delivery = only_delivery(webhook)
    assert (delivery.status, Attempt.objects.count()) == (DeliveryStatus.PENDING, 0)
    assert delivery.lease_token

    Delivery.objects.update(next_attempt_at=database_now())
    _dispatch()

    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED
    assert len(receiver.received(webhook.url)) == 2
