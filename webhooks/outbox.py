"""Write events, in the transaction that causes them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from django.db import connection, transaction
from structlog.contextvars import get_contextvars

from core.clock import iso, utc_now
from core.database_clock import due_immediately
from core.ids import OrderedIds, new_id
from core.json import dump_json
from core.stored_bytes import note_bytes
from core.writing import Write, insertion_of, write, write_last
from webhooks.delivery.wakeup import wake_up
from webhooks.event_types import EventType, patterns_of
from webhooks.log_prices import note_logs
from webhooks.models import Delivery, Event

NUMBER_DIGITS = 3
_INSERT = """
    INSERT INTO webhooks_delivery (id, event_id, webhook_id, status, next_attempt_at, lease_token,
        attempt_count, round_attempts, created_at)
"""
_SELECT = """
    SELECT %s || substr(CAST(1000 + row_number() OVER (ORDER BY id) AS varchar(4)), 2), %s, id,
        'pending', {due}, '', 0, 0, %s
    FROM webhooks_webhook
    WHERE merchant_id = %s AND livemode = %s AND is_active AND deleted_at IS NULL AND {subscribed}
"""
_event_ids = OrderedIds("evt")
_SUBSCRIBED_POSTGRESQL = "events ?| ARRAY[%s, %s, %s]"
_SUBSCRIBED_SQLITE = "EXISTS (SELECT 1 FROM json_each(events) WHERE value IN (%s, %s, %s))"


class Resource(Protocol):
    """What an event is about: an object of one merchant, in one mode."""

    @property
    def id(self) -> str: ...

    @property
    def merchant_id(self) -> str: ...

    @property
    def livemode(self) -> bool: ...


class MerchantInMode(NamedTuple):
    """A merchant as what an event is about: it belongs to both modes, an event to one."""

    id: str
    merchant_id: str
    livemode: bool


class Fact(NamedTuple):
    """What an event reports. Keys of `data` whose value is None are left out."""

    event_type: EventType
    about: Resource
    data: Mapping[str, object]


def emit(
    event_type: EventType,
    *,
    about: Resource,
    data: Mapping[str, object],
    now: datetime,
    beside: Sequence[Write] = (),
) -> Event:
    """Write an event and a delivery per subscribed endpoint, inside the caller's transaction.

    On PostgreSQL it is one statement, together with those `beside` it.
    """
    return emit_all(Fact(event_type, about, data), now=now, beside=beside)[0]


def emit_all(*facts: Fact, now: datetime, beside: Sequence[Write] = ()) -> list[Event]:
    """Write several events of one merchant and mode, as `emit` does, in as few statements."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("An event belongs to a transaction.")
    events = [_event(fact, now) for fact in facts]

    def note(deliveries: int) -> None:
        note_logs(deliveries, livemode=events[0].livemode)
        _wake_up_after_commit(deliveries)

    write_last(*beside, insertion_of(*events), _first_deliveries(events, now), then=note)
    return events


def deliver_to_subscribed(event: Event, *, now: datetime) -> int:
    """Write a delivery per endpoint that subscribes to the event; return how many."""
    count = write(_first_deliveries([event], now))
    _wake_up_after_commit(count)
    return count


def write_event(
    event_type: EventType,
    *,
    about: Resource,
    data: Mapping[str, object],
    now: datetime,
    is_test: bool,
) -> Event:
    """Write an event without its deliveries."""
    event = _event(Fact(event_type, about, data), now, is_test=is_test)
    write(insertion_of(event))
    return event


def first_delivery(event: Event, webhook_id: str, now: datetime) -> Delivery:
    """Return an unsaved delivery that is due at once."""
    return Delivery(
        id=new_id("dlv", now),
        event=event,
        webhook_id=webhook_id,
        next_attempt_at=due_immediately(),
        created_at=now,
    )


def _event(fact: Fact, now: datetime, *, is_test: bool = False) -> Event:
    event_type, about, data = fact
    event_id = _event_ids.new(now, owner=about.merchant_id)
    content = {"id": event_id, "type": event_type, "created": iso(now), "data": plain(data)}
    body = dump_json(content)
    if not about.livemode:  # its metadata may have been sent once, for any number of events
        note_bytes(len(body))
    return Event(
        id=event_id,
        merchant_id=about.merchant_id,
        livemode=about.livemode,
        type=event_type,
        resource_id=about.id,
        body=body,
        is_test=is_test,
        request_id=get_contextvars().get("request_id", ""),
        created_at=now,
    )


def _wake_up_after_commit(deliveries: int) -> None:
    if deliveries:
        transaction.on_commit(wake_up, robust=True)


def _first_deliveries(events: Sequence[Event], now: datetime) -> Write:
    """Return the statement that writes a delivery, due at once, per event and endpoint.

    It finds the endpoints itself. Each id ends in a counter, instead of its last random characters.
    """
    is_postgresql = connection.vendor == "postgresql"
    subscribed = _SUBSCRIBED_POSTGRESQL if is_postgresql else _SUBSCRIBED_SQLITE
    due = "STATEMENT_TIMESTAMP()" if is_postgresql else "%s"
    adapt = connection.ops.adapt_datetimefield_value
    params: list[object] = []
    for event in events:
        params += [new_id("dlv", now)[:-NUMBER_DIGITS], event.id]
        params += [] if is_postgresql else [adapt(utc_now())]
        params += [adapt(now), event.merchant_id, event.livemode]
        params += patterns_of(EventType(event.type))
    selects = " UNION ALL ".join([_SELECT.format(due=due, subscribed=subscribed)] * len(events))
    return Write(_INSERT + selects, params)


def plain(data: Mapping[str, object]) -> dict[str, object]:
    """Return the data as it is written: instants as text, and without None."""
    return {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in data.items()
        if value is not None
    }
