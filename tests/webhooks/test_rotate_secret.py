from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from core.crypto import decrypt
from core.database_clock import database_now
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, send_due
from tests.webhooks.receiver import Received, Receiver
from webhooks.delivery.signing import body_signature
from webhooks.models import Webhook

MILLISECOND = timedelta(milliseconds=1)


@pytest.fixture
def webhook(endpoint: MakeEndpoint) -> Webhook:
    return endpoint()


@pytest.fixture
def first(webhook: Webhook) -> str:
    return decrypt(webhook.secret)


def rotate(api: Api, webhook: Webhook, **body: int) -> str:
    response = api(webhook.merchant).post(f"/v1/webhooks/{webhook.id}/rotate-secret", body)
    assert response.status_code == 200
    return response.json()["secret"]


def sent_at(instant: datetime | None, receiver: Receiver, webhook: Webhook) -> Received:
    emit_event(webhook.merchant)
    assert send_due(instant) == 1
    return receiver.received(webhook.url)[-1]


def end_of_overlap(webhook: Webhook, seconds: int) -> datetime:
    webhook.refresh_from_db()
    expires_at = webhook.secret_created_at + timedelta(seconds=seconds)
    assert webhook.previous_secret_expires_at == expires_at
    return expires_at


def verifies(secret: str, request: Received) -> bool:
    """Ask the stock library, at the time of the request."""
    sent_at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"]), UTC)
    with time_machine.travel(sent_at):
        try:
            Verifier(secret).verify(request.body, request.headers)
        except WebhookVerificationError:
            return False
    return True


def test_it_gives_a_new_secret_and_stores_both_encrypted(
    api: Api, webhook: Webhook, first: str
) -> None:
    second = rotate(api, webhook)

    webhook.refresh_from_db()
    assert second != first
    assert decrypt(webhook.secret) == second
    assert decrypt(webhook.previous_secret) == first
    assert webhook.secret_hint == f"whsec_…{second[-4:]}"


def test_the_answer_is_the_record_with_the_secret(api: Api, webhook: Webhook) -> None:
    response = api(webhook.merchant).post(f"/v1/webhooks/{webhook.id}/rotate-secret")

    assert list(response.json()) == [
        "id", "url", "events", "is_active", "secret_hint", "livemode", "created_at",
        "updated_at", "secret",
    ]  # fmt: skip


def test_both_secrets_sign_for_a_day(
    api: Api, webhook: Webhook, first: str, receiver: Receiver
) -> None:
    second = rotate(api, webhook)

    end = end_of_overlap(webhook, 86_400)
    within = sent_at(end - MILLISECOND, receiver, webhook)
    after = sent_at(end, receiver, webhook)

    assert (verifies(first, within), verifies(second, within)) == (True, True)
    assert within.headers["x-service-signature"] == body_signature(second, within.body)
    assert within.headers["x-service-signature-previous"] == body_signature(first, within.body)
    assert (verifies(first, after), verifies(second, after)) == (False, True)
    assert "x-service-signature-previous" not in after.headers


def test_the_overlap_can_be_chosen(
    api: Api, webhook: Webhook, first: str, receiver: Receiver
) -> None:
    rotate(api, webhook, expires_in=60)

    end = end_of_overlap(webhook, 60)
    assert verifies(first, sent_at(end - MILLISECOND, receiver, webhook))
    assert not verifies(first, sent_at(end, receiver, webhook))


def test_a_leaked_secret_can_be_ended_at_once(
    api: Api, webhook: Webhook, first: str, receiver: Receiver
) -> None:
    second = rotate(api, webhook, expires_in=0)

    request = sent_at(None, receiver, webhook)

    assert (verifies(first, request), verifies(second, request)) == (False, True)
    webhook.refresh_from_db()
    assert webhook.previous_secret == ""


def test_a_second_rotation_drops_the_oldest(
    api: Api, webhook: Webhook, first: str, receiver: Receiver
) -> None:
    second = rotate(api, webhook)
    third = rotate(api, webhook)

    request = sent_at(None, receiver, webhook)

    assert [verifies(each, request) for each in (first, second, third)] == [False, True, True]


def test_a_retry_is_signed_with_the_secrets_of_its_own_time(
    api: Api, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/500,200")
    first = decrypt(webhook.secret)
    emit_event(webhook.merchant)
    send_due()
    second = rotate(api, webhook, expires_in=0)

    send_due(database_now() + timedelta(minutes=6))

    before, after = receiver.received(webhook.url)
    assert (verifies(first, before), verifies(second, before)) == (True, False)
    assert (verifies(first, after), verifies(second, after)) == (False, True)
    assert before.body == after.body


def test_the_same_key_rotates_once(api: Api, webhook: Webhook) -> None:
    path = f"/v1/webhooks/{webhook.id}/rotate-secret"
    first, again = (
        api(webhook.merchant).post(path, {}, idempotency_key="rotate") for _ in range(2)
    )

    assert first.content == again.content
    webhook.refresh_from_db()
    assert decrypt(webhook.secret) == first.json()["secret"]


def test_no_answer_is_stored_with_a_secret_that_can_be_read(api: Api, webhook: Webhook) -> None:
    caller, body = api(webhook.merchant), {"url": "https://a.example.com/", "events": ["*"]}
    path = f"/v1/webhooks/{webhook.id}/rotate-secret"
    secrets = [
        caller.post("/v1/webhooks", body, idempotency_key="make").json()["secret"],
        caller.post(path, {}, idempotency_key="rotate").json()["secret"],
    ]

    with connection.cursor() as cursor:
        cursor.execute("SELECT body FROM core_idempotencykey")
        stored = [bytes(body).decode(errors="replace") for (body,) in cursor]
    assert len(stored) == 2
    assert not [body for body in stored if any(secret in body for secret in secrets)]


@pytest.mark.parametrize("seconds", [-1, 604_801, "60", 1.5, True])
def test_it_refuses_other_overlaps(api: Api, webhook: Webhook, seconds: object) -> None:
    response = api(webhook.merchant).post(
        f"/v1/webhooks/{webhook.id}/rotate-secret", {"expires_in": seconds}
    )

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert "expires_in" in response.json()["details"]
