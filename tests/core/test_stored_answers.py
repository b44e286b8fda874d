"""What an Idempotency-Key keeps: for 72 hours, and no secret in clear."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core import retention
from core.clock import utc_now
from core.models import IdempotencyKey
from core.tasks import forget_idempotency_keys
from merchants.models import Merchant
from tests.client import Api

pytestmark = pytest.mark.django_db
SHOP = {"name": "Conch Shack", "email": "owner@conch.example"}
ENDPOINT = {"url": "https://shop.example/hook", "events": ["*"]}


def stored() -> str:
    """Return the body of the newest stored answer, as a thief of the database reads it."""
    row = IdempotencyKey.objects.latest("created_at")
    assert row.body
    return bytes(row.body).decode()


def test_the_keys_of_a_new_merchant_are_not_in_it(api: Api) -> None:
    shown = api(None).post("/v1/merchants", SHOP, idempotency_key="k").json()["api_keys"]

    assert shown["test"].startswith("sk_test_")
    assert shown["test"] not in stored()
    assert shown["live"] not in stored()
    assert "sk_test_" not in stored()  # three characters of it may be there by chance


def test_the_secret_of_a_new_webhook_is_not_in_it(api: Api, merchant: Merchant) -> None:
    shown = api(merchant).post("/v1/webhooks", ENDPOINT, idempotency_key="k").json()["secret"]

    assert shown.startswith("whsec_")
    assert shown not in stored()
    assert "whsec_" not in stored()


def test_a_rotated_secret_is_not_in_it(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    webhook = client.post("/v1/webhooks", ENDPOINT).json()["id"]
    path = f"/v1/webhooks/{webhook}/rotate-secret"

    answer = client.post(path, idempotency_key="k")
    again = client.post(path, idempotency_key="k")

    assert answer.json()["secret"] not in stored()
    assert again.content == answer.content


def test_it_is_kept_for_72_hours(api: Api, merchant: Merchant) -> None:
    start = utc_now()
    with time_machine.travel(start, tick=False):
        api(merchant).post("/v1/payments", {"amount": 100}, idempotency_key="k")

    with time_machine.travel(start + timedelta(hours=72), tick=False):
        assert forget_idempotency_keys() == 0
    with time_machine.travel(start + timedelta(hours=72, seconds=1), tick=False):
        assert forget_idempotency_keys() == 1


def test_an_hours_keys_are_deleted_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    old = utc_now() - timedelta(hours=73)
    for number in range(3):
        IdempotencyKey.objects.create(scope="s", key=str(number), created_at=old)

    with CaptureQueriesContext(connection) as asked:
        assert forget_idempotency_keys() == 3

    assert sum(query["sql"].startswith("DELETE") for query in asked.captured_queries) == 2
