"""One payload of every type, as an endpoint would get it: for test events and the reference.

Each room's `events.py` makes its own, with the functions that build the real ones, from unsaved
objects: EVENT_SAMPLES lists them. The ids refer to nothing, and the metadata marks the sample.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from webhooks.event_types import EventType
from webhooks.outbox import plain

Payload = dict[str, Any]
Samples = Mapping[EventType, Payload]


def sample_metadata() -> Payload:
    """Return metadata that mark a sample as one."""
    return {"sample": True, "order": "1001"}


def sample_id(prefix: str) -> str:
    """Return the id of the one sample of a kind, such as `pay_…`: the same in every payload."""
    return f"{prefix}_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"


def sample_instant(day: int, hour: int, minute: int = 0) -> datetime:
    """Return an instant of the month in which all samples happen."""
    return datetime(2026, 11, day, hour, minute, tzinfo=UTC)


def sample_of(event_type: EventType, *, merchant_id: str | None = None) -> Payload:
    """Return a payload of the type, the caller's own to change; `merchant_id` replaces its own."""
    data = samples()[event_type]
    named = {"merchant_id": merchant_id} if merchant_id and "merchant_id" in data else {}
    return data | named


def samples() -> dict[EventType, Payload]:
    """Gather a payload of every type from the rooms that build it."""
    made: dict[EventType, Payload] = {}
    for name in settings.EVENT_SAMPLES:
        build: Callable[[], Samples] = import_string(name)
        made |= {event_type: plain(data) for event_type, data in build().items()}
    return made
