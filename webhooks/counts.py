"""How many events a merchant has, and how many deliveries an endpoint."""

from core.counts import CountedList

EVENTS = CountedList(
    name="events",
    table="webhooks_event",
    kind="{row}.type",
    condition="NOT {row}.is_test",
    filters={"type": "kind"},
    by_day=True,
)
DELIVERIES = CountedList(
    name="deliveries",
    table="webhooks_delivery",
    owner="{row}.webhook_id",
    livemode="false",
    status="{row}.status",
    filters={"status": "status"},
    by_day=True,
)
