"""The events written so far, oldest first."""

from typing import Any

import orjson

from webhooks.models import Event


def event_types(prefix: str = "") -> list[str]:
    """Return the types of the events whose type begins like this."""
    events = Event.objects.filter(type__startswith=prefix).order_by("created_at", "id")
    return list(events.values_list("type", flat=True))


def event_data(event_type: str) -> dict[str, Any]:
    """Return the data of the only event of this type."""
    data: dict[str, Any] = orjson.loads(bytes(Event.objects.get(type=event_type).body))["data"]
    return data
