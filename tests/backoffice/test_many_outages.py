"""The outages on a merchant's page are found by its index, however often its endpoints failed."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.endpoint_timeline import outages_of, with_endpoint_failures
from backoffice.timeline import SHOWN
from core.clock import utc_now
from merchants.models import Merchant
from tests.backoffice.rows import caller_of
from tests.lone_index import leave_only
from webhooks.endpoint_outages import store_outage
from webhooks.endpoints import create_webhook
from webhooks.models import EndpointOutage, Webhook
from webhooks.statuses import ALARM_AFTER, OutageEnd

pytestmark = pytest.mark.django_db
LONG, SHORT = ALARM_AFTER, ALARM_AFTER - timedelta(seconds=1)


@pytest.fixture
def webhook(merchant: Merchant) -> Webhook:
    return create_webhook(
        caller=caller_of(merchant),
        url="https://shop.example/hook",
        events=["*"],
        description="",
        now=utc_now(),
    ).webhook


def failed_for(webhook: Webhook, lasted: timedelta) -> EndpointOutage:
    now = utc_now()
    webhook.failing_since = now - lasted
    store_outage(webhook, OutageEnd.ACCEPTED, now=now)
    return EndpointOutage.objects.latest("pk")


@pytest.mark.parametrize("has_failed", [True, False])
def test_the_outages_of_a_merchant_are_read_in_the_order_of_its_index(
    webhook: Webhook, has_failed: bool
) -> None:
    if connection.vendor == "postgresql":
        leave_only("outage_newest_told", EndpointOutage)
    if has_failed:
        failed_for(webhook, LONG)
    [merchant] = with_endpoint_failures(Merchant.objects.filter(pk=webhook.merchant_id))
    assert vars(merchant)["has_outages"] is has_failed
    vars(merchant)["has_failing"] = True  # for its own statement, even without outages

    with CaptureQueriesContext(
        connection,
    ) as read:
        list(outages_of(merchant, SHOWN))

    [sql] = [each["sql"] for each in read if 'FROM "webhooks_endpointoutage"' in each["sql"]]
    plan = _plan_of(sql)
    assert "outage_newest_told" in plan
    assert ("Sort" in plan, "TEMP B-TREE" in plan) == (False, False)


def _plan_of(sql: str) -> str:
    how = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.execute(f"{how} {sql}")
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


def test_an_upgrade_adds_the_merchants_of_earlier_outages(
    webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    migration: Any = import_module("webhooks.migrations.0024_outages_of_merchants")
    monkeypatch.setattr(migration, "BATCH", 2)
    lasted = [LONG, SHORT, LONG, LONG, SHORT]
    for each in lasted:
        failed_for(webhook, each)
    EndpointOutage.objects.update(merchant=None)

    for _ in range(2):  # interrupted, it may run again
        migration.add_merchants(apps, None)

    whose = EndpointOutage.objects.order_by("pk").values_list("merchant", flat=True)
    assert list(whose) == [webhook.merchant_id if each is LONG else None for each in lasted]
