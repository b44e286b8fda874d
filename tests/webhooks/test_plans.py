"""Thousands that wait for one endpoint must not be read to find what waits for the others."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F, QuerySet
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from bench.copies import copy_row, numbered
from core.among import Among
from core.clock import utc_now
from core.database_clock import database_now
from core.pagination import in_order
from core.prepared import planned_by_values
from outbound.results import HttpResult
from tests.factories import MerchantFactory
from tests.shared_rows import shared
from tests.webhooks.dispatching import emit_event, endpoint_of
from webhooks.delivery.backlog import FEW, few_with_due, with_backlog, with_pending
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import claim_due_deliveries, waiting_endpoints
from webhooks.delivery.order import with_turn
from webhooks.delivery.outcomes import record_result
from webhooks.models import Delivery, Event, Webhook
from webhooks.numbering import number_events
from webhooks.redelivery import RECOVERY_BATCH, close_undeliverable, continue_recoveries
from webhooks.statuses import DeliveryStatus

ROWS = 2_000


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made_once(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Webhook]:
    """Thousands of rows, made once for all tests of the file: what each changes is undone."""
    with shared(django_db_blocker, _backlog) as busy:
        yield busy


@pytest.fixture
def backlog(made_once: Webhook, db: None) -> Webhook:
    """An endpoint that thousands wait for, one that thousands went to, and three with one each."""
    return made_once


def _backlog() -> Webhook:
    merchant = MerchantFactory.create()
    for number in range(3):
        endpoint_of(merchant, f"https://shop{number}.example.com/")
    pattern = emit_event(merchant)
    busy, done = (
        endpoint_of(merchant, f"https://{name}.example.com/") for name in ("busy", "done")
    )
    at = utc_now()
    events = [
        Event(
            id=f"evt_{n:05}",
            merchant=merchant,
            livemode=False,
            type=pattern.type,
            resource_id="pay_1",
            body=b"{}",
            created_at=at,
        )
        for n in range(ROWS)
    ]
    Event.objects.bulk_create(events)
    deliveries = [
        Delivery(
            id=f"dlv_{n:05}",
            event=event,
            webhook=busy,
            next_attempt_at=at - timedelta(seconds=n),
            created_at=at,
        )
        for n, event in enumerate(events)
    ]
    delivered = [
        Delivery(
            id=f"dlv_old_{n:05}",
            event=event,
            webhook=done,
            status=DeliveryStatus.DELIVERED,
            created_at=at,
            ended_at=at,
        )
        for n, event in enumerate(events)
    ]
    Delivery.objects.bulk_create(deliveries + delivered)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_delivery")
    return busy


def rows_read(queryset: QuerySet) -> list[str]:
    """Return the lines of the plan that read the table of deliveries."""
    if connection.vendor == "sqlite":
        lines = queryset.explain().splitlines()
    else:
        plan = queryset.explain(analyze=True, costs=False)
        lines = [line for line in plan.splitlines() if "Scan" in line]
    return [line for line in lines if "delivery" in line or " U0 " in line]


def assert_by_index(lines: list[str], *names: str) -> None:
    assert lines
    for line in lines:
        assert any(f"delivery_{name}" in line for name in names or ("due", "leased", "next")), line
        assert "Seq Scan" not in line
        if "rows=" in line:
            read = float(line.split("rows=")[-1].split(" ")[0])
            assert read <= 10, line


def test_who_is_waiting_is_found_without_reading_the_backlog(backlog: Webhook) -> None:
    assert_by_index(rows_read(with_pending(Webhook.objects.all())))
    assert with_pending(Webhook.objects.all()).count() == 4


def test_what_is_next_is_found_without_sorting_the_backlog(backlog: Webhook) -> None:
    pending = Delivery.objects.pending().filter(webhook=backlog)
    first = pending.order_by("next_attempt_at", "id").values_list("id")[:4]

    assert_by_index(rows_read(first), "due")
    assert [pk for (pk,) in first] == [f"dlv_{n:05}" for n in range(ROWS - 1, ROWS - 5, -1)]


def test_looking_for_work_reads_a_few_rows_per_endpoint(backlog: Webhook) -> None:
    at = utc_now()
    waiting = with_backlog(with_pending(Webhook.objects.switched_on()), at).filter(due_at__lte=at)

    # Not by the index of times, which would be read through what waits for others.
    assert_by_index(rows_read(waiting.values("id", "due_at", "in_flight")), "due", "leased")


def test_a_list_of_what_is_pending_reads_its_page_alone(backlog: Webhook) -> None:
    """And the events of that page: not of each delivery that waits, before they are sorted."""
    own = Delivery.objects.with_log().filter(webhook=backlog, status=DeliveryStatus.PENDING)
    page = in_order(own)[:10]

    with planned_by_values():
        assert_by_index(rows_read(page), "pending")
        assert "Sort" not in page.explain()
        assert "TEMP B-TREE" not in page.explain()


def test_what_is_due_is_found_without_those_that_wait_for_later(backlog: Webhook) -> None:
    at = utc_now()
    Delivery.objects.pending().update(next_attempt_at=at + timedelta(hours=1))
    first = Delivery.objects.pending().filter(webhook=backlog).earliest("id")
    Delivery.objects.filter(pk=first.pk).update(next_attempt_at=at)

    due = Webhook.objects.filter(Among(F("id"), few_with_due(at)))

    assert_by_index(rows_read(Delivery.objects.due(at).order_by("next_attempt_at")[:FEW]))
    assert_by_index(rows_read(with_backlog(due, at).values("id", "due_at", "in_flight")))
    assert [endpoint.webhook_id for endpoint in waiting_endpoints(at)] == [backlog.pk]


def test_whose_turn_it_is_is_found_by_event_though_nothing_waited_yesterday(
    backlog: Webhook,
) -> None:
    """PostgreSQL counts anew when a tenth of the table has changed: until then, nothing waits.

    It read all that waits for an endpoint to find whether one event was held up, for each of 20.
    """
    at = utc_now()
    fill_since_it_was_counted(backlog, at)

    plan = with_turn(Delivery.objects.due(at).filter(webhook=backlog)).explain().lower()

    looked_up = [line for line in plan.splitlines() if " u0 " in line and "feed" not in line]
    by_event = {
        "postgresql": "delivery_once_per_endpoint",
        "sqlite": "(event_id=? and webhook_id=?)",
    }
    assert looked_up
    assert all(by_event[connection.vendor] in line for line in looked_up)


@pytest.mark.postgres
def test_a_claim_and_its_record_are_written_by_key_though_nothing_waited_yesterday(
    backlog: Webhook,
) -> None:
    """They read all that waited, for each delivery: the index of that was taken to be empty."""
    fill_since_it_was_counted(backlog, utc_now())

    with CaptureQueriesContext(connection) as sent:
        for claim in claim_due_deliveries(free=dict.fromkeys(Lane, 4), now=database_now()).taken:
            record_result(claim, HttpResult(ms=5, status=200))

    updates = [
        it["sql"] for it in sent.captured_queries if 'UPDATE "webhooks_delivery"' in it["sql"]
    ]
    claiming, recording, *_ = map(plan_of, updates)
    assert "webhooks_delivery_pkey" in claiming
    # Of what is leased there is never more than there are threads.
    assert "webhooks_delivery_pkey" in recording or "delivery_leased" in recording


def fill_since_it_was_counted(busy: Webhook, at: datetime) -> None:
    """Let thousands wait for an endpoint, which PostgreSQL does not know yet."""
    number_events()
    Delivery.objects.update(status=DeliveryStatus.CANCELED, next_attempt_at=None, ended_at=at)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_delivery")
        cursor.execute("ANALYZE webhooks_feedentry")
    pending = Delivery.objects.filter(webhook=busy)
    pending.update(status=DeliveryStatus.PENDING, next_attempt_at=at, ended_at=None)


def test_thousands_that_are_due_at_one_endpoint_hide_no_other(backlog: Webhook) -> None:
    at = utc_now()
    late = Delivery.objects.pending().exclude(webhook=backlog)
    late.update(next_attempt_at=at)

    taken = claim_due_deliveries(free=dict.fromkeys(Lane, 16), now=at).taken

    assert {claim.delivery.webhook_id for claim in taken} >= set(
        late.values_list("webhook_id", flat=True)
    )


def test_a_recovery_counts_no_further_than_a_batch_of_what_waits(backlog: Webhook) -> None:
    at = database_now()
    Webhook.objects.filter(pk=backlog.pk).update(recover_since=at, recover_until=at)

    with CaptureQueriesContext(connection) as sent:
        assert continue_recoveries(now=at) == 0

    (waiting,) = [it["sql"] for it in sent.captured_queries if '"ended_at" IS NULL' in it["sql"]]
    assert f"LIMIT {RECOVERY_BATCH}" in waiting


@pytest.mark.postgres
def test_thousands_of_endpoints_are_not_read_to_find_the_few_with_work(backlog: Webhook) -> None:
    """Every few seconds, and whenever metrics are collected."""
    copy_row(backlog, {"id": numbered("wh")}, count=3_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_webhook")

    with CaptureQueriesContext(connection) as sent:
        assert continue_recoveries(now=utc_now()) == 0
        assert Webhook.objects.failing().count() == 0
        assert close_undeliverable(now=utc_now()) == 0

    read = [it["sql"] for it in sent.captured_queries if 'FROM "webhooks_webhook"' in it["sql"]]
    recovering, failing, closed = map(plan_of, read)
    assert "webhook_recovering" in recovering
    assert "webhook_failing" in failing
    assert "SubPlan" not in closed  # no list of all that are switched on


def plan_of(sql: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}")
        return "\n".join(line for (line,) in cursor.fetchall())
