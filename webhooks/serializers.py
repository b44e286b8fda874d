"""Webhooks, events and deliveries as they come in and go out."""

import json
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from core.choices import ChoicesField
from core.fields import (
    InstantField,
    OneOfField,
    StrictBooleanField,
    StrictIntegerField,
    TextField,
    WebUrlField,
)
from core.json import dump_json
from core.limits import MAX_TEXT
from core.serializers import Change, Input, Output
from outbound.results import EXCERPT_CHARACTERS
from webhooks.event_types import SUBSCRIBABLE, EventType
from webhooks.models import MAX_ERROR, Attempt, Delivery, Event
from webhooks.statuses import DeliveryStatus, DisabledReason

DEFAULT_OVERLAP_SECONDS = 86_400
MAX_OVERLAP_SECONDS = 7 * 86_400
MAX_MS = 2**31 - 1
MAX_DATA_BYTES = 16_384

_EVENTS_RULE = "must be a list of event types, with at least one"
_JSON_RULE = "must be JSON with integers of at most 64 bits"


class SubscriptionField(ChoicesField):
    """Event types and patterns."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allowed=SUBSCRIBABLE, rule=_EVENTS_RULE, **options)


class NewWebhook(Input):
    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    url = WebUrlField(help_text="https; in test mode, if allowed, also http to this machine.")
    events = SubscriptionField(help_text="Types, groups such as `payment.*`, or `*` for all.")
    description = TextField(
        max_length=MAX_TEXT,
        min_length=0,
        lines=True,
        required=False,
        help_text="A note for yourself.",
    )


class ChangedWebhook(Change):
    url = WebUrlField(required=False)
    events = SubscriptionField(required=False)
    description = TextField(
        max_length=MAX_TEXT, min_length=0, lines=True, required=False, allow_null=True
    )
    is_active = StrictBooleanField(required=False)


class Rotation(Input):
    expires_in = StrictIntegerField(
        min_value=0,
        max_value=MAX_OVERLAP_SECONDS,
        required=False,
        help_text="Seconds for which requests are still signed with the old secret, too.",
    )


class Recovery(Input):
    since = InstantField(help_text="Failed deliveries created at this time or later are resent.")


class SampleDataField(serializers.DictField):
    """Values of any kind by the name of a field, as JSON can hold them."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("must be an object")
        try:
            text = dump_json(data)
        except TypeError:
            raise serializers.ValidationError(_JSON_RULE) from None
        if len(text) > MAX_DATA_BYTES:
            raise serializers.ValidationError(f"must have at most {MAX_DATA_BYTES} bytes")
        if json.loads(text) != data:
            raise serializers.ValidationError(_JSON_RULE)
        return data


class TestEventRequest(Input):
    webhook_id = TextField(max_length=64)
    event_type = OneOfField(
        allowed=tuple(EventType.values), required=False, help_text="Default: `payment.completed`."
    )
    data = SampleDataField(
        required=False,
        help_text="Fields that replace those of the sample, each of its kind; a null leaves one "
        "out. Test keys only.",
    )  # type: ignore[assignment]  # fields are no attributes


class WebhookOutput(Output):
    id = TextField(max_length=40)
    url = WebUrlField()
    events = SubscriptionField()
    description = TextField(max_length=MAX_TEXT, required=False)
    is_active = StrictBooleanField()
    disabled_reason = OneOfField(allowed=tuple(DisabledReason.values), required=False)
    secret_hint = TextField(max_length=16)
    livemode = StrictBooleanField()
    created_at = InstantField()
    updated_at = InstantField()


class IssuedWebhook(WebhookOutput):
    """A webhook with its new secret, which is shown this once."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, _: Any) -> str:
        return str(self.context["secret"])


class DeletedWebhook(Output):
    id = TextField(max_length=40)
    deleted = serializers.SerializerMethodField()

    def get_deleted(self, _: Any) -> bool:
        return True


class EventOutput(Output):
    """Exactly what is sent to endpoints."""

    id = TextField(max_length=40)
    type = OneOfField(allowed=tuple(EventType.values))
    created = InstantField(source="created_at")
    data = serializers.SerializerMethodField()  # type: ignore[assignment]  # fields are no attributes
    livemode = StrictBooleanField()
    test = StrictBooleanField(source="is_test")
    sequence = StrictIntegerField(min_value=1, required=False)
    previous_sequence = StrictIntegerField(min_value=1, required=False)

    def get_data(self, event: Event) -> dict[str, Any]:
        data: dict[str, Any] = event.content["data"]
        return data


class AttemptOutput(Output):
    attempted_at = InstantField()
    status = StrictIntegerField(min_value=100, max_value=999, required=False)
    ms = StrictIntegerField(min_value=0, max_value=MAX_MS)
    excerpt = TextField(max_length=EXCERPT_CHARACTERS, required=False)
    error = TextField(max_length=MAX_ERROR, required=False)


class DeliveryOutput(Output):
    id = TextField(max_length=40)
    event_id = TextField(max_length=40)
    event_type = OneOfField(allowed=tuple(EventType.values), source="event.type")
    webhook_id = TextField(max_length=40)
    status = OneOfField(allowed=tuple(DeliveryStatus.values))
    attempts = AttemptOutput(many=True)
    next_attempt_at = InstantField(required=False, source="next_attempt_if_known")
    created_at = InstantField()


class RecoveryOutput(Output):
    """The recovery, and how many deliveries it covers."""

    id = TextField(max_length=40)
    since = InstantField(source="recover_since")
    deliveries = serializers.SerializerMethodField()

    def get_deliveries(self, _: Any) -> int:
        return int(self.context["deliveries"])


class TestEventOutput(Output):
    """What the endpoint answered; no `status` where there was no answer."""

    event = EventOutput()
    delivery_id = TextField(max_length=40)
    delivered = StrictBooleanField()
    status = StrictIntegerField(min_value=100, max_value=999, required=False)
    ms = StrictIntegerField(min_value=0, max_value=MAX_MS, required=False)
    excerpt = TextField(max_length=EXCERPT_CHARACTERS, required=False)
    error = TextField(max_length=MAX_ERROR, required=False)


def outcome_of_test(delivery: Delivery) -> dict[str, Any]:
    """Return the event of a test and its first attempt; others may have followed."""
    first: Attempt | None = next(iter(delivery.attempts.all()), None)
    names = ("status", "ms", "excerpt", "error")
    return {
        "event": delivery.event,
        "delivery_id": delivery.id,
        "delivered": first is not None and not first.error,
        **{name: getattr(first, name, None) for name in names},
    }


def overlap_of(values: dict[str, Any]) -> timedelta:
    """Return how long the old secret keeps signing."""
    return timedelta(seconds=values.get("expires_in", DEFAULT_OVERLAP_SECONDS))


def changes_of(values: dict[str, Any]) -> dict[str, Any]:
    """Turn a parsed change into column values."""
    return {name: "" if value is None else value for name, value in values.items()}
