"""How the dashboard counts what failed, when much has: without reading what arrived."""

from datetime import timedelta

import pytest
from django.db import connection

from backoffice.queues import COUNTED, queues_in
from bench.copies import copy_row, numbered
from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from tests.webhooks.dispatching import emit_event, endpoint_of
from webhooks.models import Delivery, Event
from webhooks.statuses import DeliveryStatus

ARRIVED, FAILED = 3_000, 600


@pytest.mark.postgres
def test_what_arrived_is_not_read_to_count_what_failed(merchant: Merchant) -> None:
    endpoint, at = endpoint_of(merchant, "https://shop.example.com/"), utc_now()
    event = emit_event(merchant)
    Delivery.objects.all().delete()
    copy_row(event, {"id": numbered("evt")}, count=ARRIVED + FAILED)
    events = Event.objects.exclude(pk=event.pk).order_by("pk").values_list("pk", flat=True)
    Delivery.objects.bulk_create(
        Delivery(
            id=new_id("dlv", at),
            event_id=event_id,
            webhook=endpoint,
            status=DeliveryStatus.DELIVERED if number < ARRIVED else DeliveryStatus.FAILED,
            created_at=at,
            ended_at=at - timedelta(minutes=1),
        )
        for number, event_id in enumerate(events)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_delivery")
    (queue,) = queues_in(Delivery)

    rows = queue.rows(livemode=False, now=at).order_by().values("pk")[: COUNTED + 1]

    assert len(rows) == COUNTED + 1
    assert "office_delivery_failed" in rows.explain()
