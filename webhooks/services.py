"""Write events into the outbox."""

from collections.abc import Mapping
from datetime import datetime

from core.clock import iso
from core.ids import new_id
from core.json import dump_json
from webhooks.event_types import EventType
from webhooks.models import Event


def emit(
    event_type: EventType,
    *,
    merchant_id: str,
    livemode: bool,
    resource_id: str,
    data: Mapping[str, object],
    now: datetime,
) -> Event:
    """Write an event in the transaction that makes it true. Values without content are left out."""
    event_id = new_id("evt", now)
    payload = {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in data.items()
        if value is not None
    }
    envelope = {"id": event_id, "type": event_type, "created": iso(now), "data": payload}
    return Event.objects.create(
        id=event_id,
        merchant_id=merchant_id,
        livemode=livemode,
        type=event_type,
        resource_id=resource_id,
        body=dump_json(envelope),
        created_at=now,
    )
