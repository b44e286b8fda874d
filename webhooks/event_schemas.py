"""The schemas of events: one per type, and their union, told apart by `type`."""

from collections.abc import Mapping
from typing import Any

from core.wording import wording_of
from webhooks.event_types import MEANINGS, EventType
from webhooks.samples import Payload

ENVELOPE = "EventOutput"
# Which object an event is about, by the first word of its type
ABOUT = {
    "payment": "PaymentOutput",
    "refund": "RefundOutput",
    "inquiry": "InquiryOutput",
    "payout": "PayoutOutput",
    "payment_link": "LinkOutput",
    "merchant": "MerchantOutput",
}
_SCHEMAS = "#/components/schemas/"


def event_name(event_type: EventType) -> str:
    """Return the name of the schema of a type, such as `PaymentCompletedEvent`."""
    words = event_type.value.replace("_", ".").split(".")
    return "".join(map(str.capitalize, words)) + "Event"


def sample_event(event_type: EventType, data: Payload) -> Payload:
    """Return an event with this sample as its data."""
    return {
        "id": "evt_0W1fDEfG5nXkZu7SyP3wRj9AmLs6Hh",
        "type": event_type.value,
        "created": "2026-11-21T14:02:00.123Z",
        "data": data,
        "livemode": False,
        "test": False,
        "sequence": 1042,
        "previous_sequence": 1041,
    }


def add_event_schemas(schemas: dict[str, Any], samples: Mapping[EventType, Payload]) -> None:
    """Add a schema per type to the document, and replace the envelope by their union."""
    envelope = schemas[ENVELOPE]
    for event_type, data in samples.items():
        name = event_name(event_type)
        data_name = f"{name.removesuffix('Event')}Data"
        schemas[data_name] = _data_schema(event_type, data)
        schemas[name] = _event_schema(envelope, event_type, data, data_name)
    names = {each.value: f"{_SCHEMAS}{event_name(each)}" for each in EventType}
    schemas[ENVELOPE] = {
        "oneOf": [{"$ref": path} for path in names.values()],
        "discriminator": {"propertyName": "type", "mapping": names},
    }


def _event_schema(
    envelope: Mapping[str, Any], event_type: EventType, data: Payload, data_name: str
) -> dict[str, Any]:
    own = {
        "type": {
            "type": "string",
            "enum": [event_type.value],
            "description": f"`{event_type.value}`.",
        },
        "data": {"$ref": f"{_SCHEMAS}{data_name}", "description": "The payload."},
    }
    words = wording_of(ENVELOPE)
    properties = {
        name: own.get(name, {**shape, "description": words.of(ENVELOPE, name)[0]})
        for name, shape in envelope["properties"].items()
    }
    return {
        "type": "object",
        "description": MEANINGS[event_type],
        "properties": properties,
        "required": envelope["required"],
        "examples": [sample_event(event_type, data)],
    }


def _data_schema(event_type: EventType, data: Payload) -> dict[str, Any]:
    """Describe what the sample shows; only the id of its object is in every event."""
    about = ABOUT[event_type.value.split(".")[0]]
    words = wording_of(about)
    properties = {
        name: {**_schema_of(name, value), "description": words.of(about, name)[0]}
        for name, value in data.items()
    }
    return {
        "type": "object",
        "description": f"The payload of `{event_type.value}`.",
        "properties": properties,
        "required": [next(iter(data))],
    }


def _schema_of(name: str, value: Any) -> dict[str, Any]:
    """Describe a value as the sample shows it; metadata holds what the merchant has stored."""
    if isinstance(value, dict):
        return {"type": "object"}
    if isinstance(value, list):
        return {"type": "array", "items": _schema_of("", value[0])}
    if isinstance(value, int):
        return {"type": "integer"}
    if name.endswith("_at"):
        return {"type": "string", "format": "date-time"}
    return {"type": "string"} | ({"format": "date"} if name.endswith("_date") else {})
