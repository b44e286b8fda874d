"""Values that replace those of a sample: of the kind that an event of its type has there."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.errors import ValidationFailed
from core.instants import parse_instant
from webhooks.event_types import EventType
from webhooks.samples import Payload

# Their object may have one of several statuses; of the others the type says which.
OF_SEVERAL_STATUSES = {
    EventType.PAYMENT_REPLACEMENT_REQUESTED,
    EventType.REFUND_CREATED,
    EventType.INQUIRY_UPDATED,
    EventType.PAYOUT_FAILED,
    EventType.PAYMENT_LINK_PAYMENT_COMPLETED,
    EventType.MERCHANT_UPDATED,
}
_KINDS: dict[type[Any], str] = {
    bool: "true or false",
    int: "an integer",
    str: "a string",
    dict: "an object",
    list: "a list",
}


def changed_sample(event_type: EventType, sample: Payload, data: Mapping[str, Any]) -> Payload:
    """Return the sample with these values in place of its own; the merchant stays.

    A None leaves its field out of the event that is written. Fields that the sample does not have
    are added as they are. Raises ValidationFailed, naming each field whose value no event of the
    type can have, and what it must be.
    """
    rules = {name: _rule(event_type, sample, name, value) for name, value in data.items()}
    wrong = {f"data.{name}": f"must be {rule}" for name, rule in rules.items() if rule}
    if wrong:
        raise ValidationFailed(**wrong)
    own = {name: sample[name] for name in ("merchant_id",) if name in sample}
    return {**sample, **data, **own}


def _rule(event_type: EventType, sample: Payload, name: str, value: Any) -> str:
    """Return what a value must be instead; empty if it may be as it is."""
    if name not in sample:
        return ""
    if value is None:  # only the id of its object is in every event
        return "present" if name == next(iter(sample)) else ""
    kind = next(each for each in _KINDS if isinstance(sample[name], each))
    if type(value) is not kind:
        return _KINDS[kind]
    if name == "status" and event_type not in OF_SEVERAL_STATUSES:
        return "" if value == sample[name] else str(sample[name])
    if name.endswith("_at") and parse_instant(value) is None:
        return "an ISO 8601 instant with a time zone"
    return "a date of the form YYYY-MM-DD" if name.endswith("_date") and not _is_date(value) else ""


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
