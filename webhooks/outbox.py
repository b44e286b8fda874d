"""Write events, in the transaction that causes them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from django.db import connection, transaction
from structlog.contextvars import get_contextvars

from core.clock import iso
from core.ids import new_id
from core.json import dump_json
from webhooks.database_clock import due_immediately
from webhooks.delivery.wakeup import wake_up
from webhooks.event_types import EventType, is_subscribed
from webhooks.models import Delivery, Event, Webhook


class Resource(Protocol):
    """What an event is about: an object of one merchant, in one mode."""

    @property
    def id(self) -> str: ...

    @property
    def merchant_id(self) -> str: ...

    @property
    def livemode(self) -> bool: ...


def emit(
    event_type: EventType, *, about: Resource, data: Mapping[str, object], now: datetime
) -> Event:
    """Write an event and a delivery per subscribed endpoint, inside the caller's transaction.

    At most three statements. Keys of `data` whose value is None are left out. SPEC: Events.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("An event belongs to a transaction.")
    event = write_event(event_type, about=about, data=data, now=now)
    deliver_to_subscribed(event, now=now)
    return event


def deliver_to_subscribed(event: Event, *, now: datetime) -> int:
    """Write a delivery per endpoint that subscribes to the event; return how many."""
    endpoints = Webhook.objects.listening(merchant_id=event.merchant_id, livemode=event.livemode)
    deliveries = [
        first_delivery(event, webhook_id, now)
        for webhook_id, patterns in endpoints.values_list("id", "events")
        if is_subscribed(patterns, EventType(event.type))
    ]
    if deliveries:
        Delivery.objects.bulk_create(deliveries)
        transaction.on_commit(wake_up, robust=True)
    return len(deliveries)


def write_event(
    event_type: EventType,
    *,
    about: Resource,
    data: Mapping[str, object],
    now: datetime,
    is_test: bool = False,
) -> Event:
    """Write an event without its deliveries."""
    event_id = new_id("evt", now)
    content = {"id": event_id, "type": event_type, "created": iso(now), "data": _plain(data)}
    return Event.objects.create(
        id=event_id,
        merchant_id=about.merchant_id,
        livemode=about.livemode,
        type=event_type,
        resource_id=about.id,
        body=dump_json(content),
        is_test=is_test,
        request_id=get_contextvars().get("request_id", ""),
        created_at=now,
    )


def first_delivery(event: Event, webhook_id: str, now: datetime) -> Delivery:
    """Return an unsaved delivery that is due at once."""
    return Delivery(
        id=new_id("dlv", now),
        event=event,
        webhook_id=webhook_id,
        next_attempt_at=due_immediately(),
        created_at=now,
    )


def _plain(data: Mapping[str, object]) -> dict[str, object]:
    return {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in data.items()
        if value is not None
    }
