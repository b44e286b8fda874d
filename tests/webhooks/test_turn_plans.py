"""Whose turn it is at an endpoint is found by looking up few events, however many are due there."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from bench.copies import FIRST_NUMBER, copy_row, numbered
from core.clock import utc_now
from merchants.models import Merchant
from tests.webhooks.dispatching import emit_event, endpoint_of, only_delivery
from webhooks.delivery.order import WINDOW, next_in_turn
from webhooks.models import Delivery, FeedEntry, UnnumberedEvent, Webhook
from webhooks.numbering import number_events
from webhooks.statuses import DeliveryStatus

OBJECTS = 1_000
pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture
def now() -> datetime:
    return utc_now()


@pytest.fixture
def busy(merchant: Merchant, now: datetime) -> Webhook:
    """An endpoint where two events of each object are due, the earlier of them last."""
    webhook = endpoint_of(merchant, "https://shop.example.com/")
    event = emit_event(merchant)
    number_events()
    about = {"resource_id": f"'pay_' || i % {OBJECTS}"}
    copy_row(event, about | {"id": numbered("evt")}, count=2 * OBJECTS)
    UnnumberedEvent.objects.all().delete()
    entry = FeedEntry.objects.get(event=event)
    numbers = {"event_id": numbered("evt"), "sequence": "i"}
    copy_row(entry, about | numbers, count=2 * OBJECTS)
    delivery = only_delivery(webhook)
    ended = {"status": "'canceled'", "next_attempt_at": "NULL", "ended_at": "created_at"}
    ids = {"id": numbered("dlv"), "event_id": numbered("evt")}
    copy_row(delivery, ended | ids, count=2 * OBJECTS)
    delivery.delete()
    with connection.cursor() as cursor:
        # As a rule, nothing waits when PostgreSQL counts.
        cursor.execute("ANALYZE webhooks_event, webhooks_feedentry, webhooks_delivery")
    rows = Delivery.objects.filter(webhook=webhook).order_by("event__entry__sequence")
    let_wait(rows[:OBJECTS], now)
    let_wait(rows[OBJECTS:], now - timedelta(minutes=1))
    return webhook


def let_wait(some: QuerySet[Any, Any], since: datetime) -> None:
    Delivery.objects.filter(pk__in=list(some.values_list("pk", flat=True))).update(
        status=DeliveryStatus.PENDING, next_attempt_at=since, ended_at=None
    )


def test_what_holds_up_a_window_is_found_by_its_objects(busy: Webhook, now: datetime) -> None:
    """Each statement began with all that was due, and looked up the event of each."""
    with CaptureQueriesContext(connection) as sent:
        found, is_more_due = next_in_turn(busy.pk, 4, now=now)

    first = f"dlv_{'0' * 20}"
    assert found == [f"{first}{FIRST_NUMBER + number}" for number in range(4)]
    assert is_more_due
    statements = [it["sql"] for it in sent.captured_queries]
    assert len(statements) == 3
    for sql in statements:
        assert_few(sql, "delivery_", "webhooks_delivery_", "webhooks_event_", "webhooks_feedentry_")


def test_a_window_is_chosen_before_its_events_are_looked_up(busy: Webhook, now: datetime) -> None:
    """As from an index whose order is another, and which PostgreSQL takes for as good."""
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX delivery_due")

    with CaptureQueriesContext(connection) as sent:
        next_in_turn(busy.pk, 4, now=now)

    window, *_ = (it["sql"] for it in sent.captured_queries)
    assert_few(window, "webhooks_delivery_pkey", "webhooks_event_", "webhooks_feedentry_")


def assert_few(sql: str, *indexes: str) -> None:
    """Check that a statement reads at most two windows of rows by any of these indexes."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")  # no plan for millions of rows
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        ((found,),) = cursor.fetchall()
    nodes = [found[0]["Plan"]]
    for node in nodes:
        nodes += node.get("Plans", [])
        if node.get("Index Name", "").startswith(indexes):
            assert node["Actual Rows"] * node["Actual Loops"] <= 2 * WINDOW, node
