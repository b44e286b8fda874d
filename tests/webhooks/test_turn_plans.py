"""Whose turn it is at an endpoint is found by looking up few events, however many are due there."""

from collections.abc import Iterator
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
# What PostgreSQL does with a thousand rows, but not with millions.
OF_SMALL_TABLES = ("seqscan", "hashjoin", "mergejoin", "material")
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
    count_rows()  # as a rule, nothing waits when PostgreSQL counts
    rows = Delivery.objects.filter(webhook=webhook).order_by("event__entry__sequence")
    let_wait(rows[:OBJECTS], now)
    let_wait(rows[OBJECTS:], now - timedelta(minutes=1))
    return webhook


def let_wait(some: QuerySet[Any, Any], since: datetime) -> None:
    Delivery.objects.filter(pk__in=list(some.values_list("pk", flat=True))).update(
        status=DeliveryStatus.PENDING, next_attempt_at=since, ended_at=None
    )


@pytest.mark.parametrize("is_counted", [False, True])
def test_what_holds_up_a_window_is_found_by_its_objects(
    busy: Webhook, now: datetime, is_counted: bool
) -> None:
    """Statements began with all that was due, and looked up the event of each."""
    if is_counted:
        count_rows()

    with CaptureQueriesContext(connection) as sent:
        found, is_more_due = next_in_turn(busy.pk, 4, now=now)

    first = f"dlv_{'0' * 20}"
    assert found == [f"{first}{FIRST_NUMBER + number}" for number in range(4)]
    assert is_more_due
    statements = [it["sql"] for it in sent.captured_queries]
    for sql in statements:
        for node in nodes_of(sql):
            assert rows_read(node) <= 2 * WINDOW, node
    assert len(statements) == 4


def count_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_event, webhooks_feedentry, webhooks_delivery")


def nodes_of(sql: str) -> Iterator[dict[str, Any]]:
    """Execute a statement as if the tables were large; yield the nodes of its plan."""
    with connection.cursor() as cursor:
        for name in OF_SMALL_TABLES:
            cursor.execute(f"SET LOCAL enable_{name} = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        ((found,),) = cursor.fetchall()
    nodes = [found[0]["Plan"]]
    for node in nodes:
        nodes += node.get("Plans", [])
        yield node


def rows_read(node: dict[str, Any]) -> float:
    """Return how many rows a node reads of a table, without the window, read in order or sorted."""
    is_window = node.get("Relation Name") == "webhooks_delivery" and node["Actual Loops"] == 1
    if "Relation Name" not in node or (is_window and "u0" in node["Alias"]):
        return 0
    each: float = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    return each * node["Actual Loops"]
