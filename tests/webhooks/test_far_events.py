"""The lists of events, of merchants and of staff, are read from an index, without their events."""

import pytest
from django.db import connection
from django.db.models import QuerySet

from core.clock import utc_now
from core.pagination import in_order
from merchants.callers import Caller
from merchants.models import Merchant
from tests.webhooks.dispatching import emit_event
from webhooks.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture(autouse=True)
def _events(merchant: Merchant) -> None:
    for _ in range(3):
        emit_event(merchant)
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX event_by_type")  # of three rows, as cheap
        for way in ("seqscan", "bitmapscan", "sort"):  # as a table of few rows is read
            cursor.execute(f"SET LOCAL enable_{way} = off")


def _is_read_from_entries(rows: QuerySet[Event]) -> bool:
    plan = rows.values("pk")[1:3].explain(costs=False)
    return "Index Only Scan using event_listed on webhooks_event" in plan


def test_an_offset_reads_no_event_that_it_skips(merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="tests")

    assert _is_read_from_entries(in_order(Event.objects.listed(caller, {}, utc_now())))


def test_the_index_of_events_serves_those_who_see_samples_too(merchant: Merchant) -> None:
    """As staff do. By another, a day of a merchant costs entries of all its days."""
    of_one = Event.objects.filter(merchant=merchant, livemode=False)

    assert _is_read_from_entries(of_one.order_by("-created_at", "-pk"))
