"""An offset into the list of events passes over entries of its index, not over events."""

import pytest
from django.db import connection

from core.clock import utc_now
from core.pagination import in_order
from merchants.callers import Caller
from merchants.models import Merchant
from tests.webhooks.dispatching import emit_event
from webhooks.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def test_an_offset_reads_no_event_that_it_skips(merchant: Merchant) -> None:
    for _ in range(3):
        emit_event(merchant)
    caller = Caller(merchant, livemode=False, actor="tests")
    listed = Event.objects.listed(caller, {}, utc_now())
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX event_newest_of_all, event_by_type")  # of three rows, as cheap
        for way in ("seqscan", "bitmapscan", "sort"):  # as a table of few rows is read
            cursor.execute(f"SET LOCAL enable_{way} = off")

    plan = in_order(listed).values("pk")[1:3].explain(costs=False)

    assert "Index Only Scan using event_listed on webhooks_event" in plan
