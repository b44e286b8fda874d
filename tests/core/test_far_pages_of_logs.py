"""Far pages of events, deliveries and refunds begin where the counts of days say, too."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core import tasks
from merchants.models import Merchant
from tests.client import Api
from tests.refunds.refunding import refund, sell
from tests.webhooks.dispatching import Thing, endpoint_of
from webhooks.event_types import EventType
from webhooks.outbox import emit

pytestmark = pytest.mark.django_db

START = datetime(2025, 12, 30, 12, tzinfo=UTC)
COUNT = 6


@pytest.fixture(autouse=True)
def _near(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("merchants.caller_lists", "webhooks.delivery_log"):
        monkeypatch.setattr(f"{module}.FAR", 1)


def assert_same_pages(api: Api, merchant: Merchant, path: str, **query: str) -> None:
    """Read a list one by one: the same as in one page, and by the counts of its days."""
    client, key = api(merchant), path.rsplit("/", 1)[1]
    expected = [each["id"] for each in client.get(path, query).json()[key]]
    found = []
    with CaptureQueriesContext(connection) as sent:
        for offset in range(COUNT + 1):
            shown = client.get(path, {**query, "limit": 1, "offset": offset}).json()
            found += [each["id"] for each in shown[key]]
        page = {"limit": 1, "offset": COUNT - 2, "starting_after": expected[0]}
        [later] = client.get(path, {**query, **page}).json()[key]

    assert later["id"] == expected[COUNT - 1]
    assert len(expected) >= COUNT
    assert found == expected[: COUNT + 1]
    assert sum("core_periodcount" in it["sql"] for it in sent.captured_queries) >= COUNT


def test_they_are_the_same_pages(api: Api, merchant: Merchant) -> None:
    webhook = endpoint_of(merchant, "https://shop.example.com/")
    for number in range(COUNT):
        at = START + timedelta(days=number // 2, minutes=number)
        with transaction.atomic():
            emit(EventType.PAYMENT_CREATED, about=Thing(merchant.id), data={}, now=at)
    tasks.fold_counts()

    assert_same_pages(api, merchant, "/v1/events")
    assert_same_pages(api, merchant, "/v1/events", type="payment.created")
    assert_same_pages(api, merchant, f"/v1/webhooks/{webhook.id}/deliveries")
    assert_same_pages(api, merchant, f"/v1/webhooks/{webhook.id}/deliveries", status="pending")


def test_pages_of_refunds_are_the_same(api: Api, merchant: Merchant) -> None:
    sale = sell(merchant, 1_000)
    for _ in range(COUNT):
        refund(api, sale, 100)
    tasks.fold_counts()

    assert_same_pages(api, merchant, "/v1/refunds")
    assert_same_pages(api, merchant, "/v1/refunds", status="succeeded")
