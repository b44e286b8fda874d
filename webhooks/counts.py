"""How many events a merchant has, and how many deliveries an endpoint."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList
from core.queries import Lookups
from merchants.scoping import Scope
from webhooks.event_models import Event

EVENTS = CountedList(
    name="events",
    table="webhooks_event",
    kind="{row}.type",
    condition="NOT {row}.is_test",
    filters={"type": "kind", "type__in": "kind__in"},
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


def total_of(caller: Scope, filters: Lookups, now: datetime | Value) -> QuerySet[Any, Any] | None:
    """Return the query for the total of a list of events; None if the rows have to be counted."""
    events = Event.objects.visible_to(caller).without_samples()
    parts = EVENTS.total_parts(
        events, caller.merchant_id, filters, livemode=caller.livemode, now=now
    )
    return None if parts is None else parts.total()
