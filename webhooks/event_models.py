"""Events, and the feed: those of a merchant and mode in the order in which they happened."""

from datetime import datetime
from typing import Any, ClassVar, Self

import orjson
from django.db import models
from django.db.models import Q, Value

from core.ids import PublicIdField
from core.json import dump_json
from core.queries import Lookups
from core.signatures import SignatureField
from merchants.scoping import CallerScoped, Scope
from webhooks.errors import EventNotFound
from webhooks.event_types import EventType


class EventQuerySet(CallerScoped["Event"]):
    missing = EventNotFound

    def listed(self, caller: Scope, lookups: Lookups, now: datetime | Value) -> Self:
        return super().listed(caller, lookups, now).without_samples().with_number()

    def without_samples(self) -> Self:
        """Leave out test events, which merchants have asked for."""
        return self.filter(is_test=False)

    def with_number(self) -> Self:
        """Read the number of each along with it, if it has one."""
        return self.select_related("entry")


class Event(models.Model):
    """Something that happened, written in the same transaction: audit log, outbox and payload.

    `body` is the beginning of what is sent to every endpoint on every attempt, byte for byte; its
    number follows once it has one. `is_test` marks a sample that a merchant asked for: never
    numbered, never retried. `request_id` is the X-Request-Id of the request that caused it, by
    which staff find it. Rows are never changed.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, db_index=False)
    livemode = models.BooleanField()
    type = models.CharField(max_length=40, choices=EventType)
    resource_id = PublicIdField(db_index=True)
    body = models.BinaryField()
    is_test = models.BooleanField(default=False)
    request_id = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField()
    signature = SignatureField(
        *("id", "merchant_id", "livemode", "type", "resource_id", "body", "is_test"),
        *("request_id", "created_at"),
        in_log=True,
    )

    objects: ClassVar[EventQuerySet] = EventQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                # The last lets a list leave out samples without looking at the events.
                fields=["merchant", "livemode", "-created_at", "-id", "is_test"],
                name="event_listed",
            ),
            models.Index(
                fields=["merchant", "livemode", "type", "-created_at", "-id"], name="event_by_type"
            ),
            models.Index(fields=["request_id"], name="event_request", condition=~Q(request_id="")),
        )
        constraints = (
            models.CheckConstraint(condition=Q(type__in=EventType.values), name="event_type_known"),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.id}"

    @property
    def content(self) -> dict[str, Any]:
        """The parsed body: `id`, `type`, `created`, `data`."""
        content: dict[str, Any] = orjson.loads(bytes(self.body))
        return content

    @property
    def sequence(self) -> int | None:
        """Its number; None before it has one, and on a sample."""
        entry: FeedEntry | None = getattr(self, "entry", None)
        return entry.sequence if entry else None

    @property
    def previous_sequence(self) -> int | None:
        """The number of the previous event about the same object."""
        entry: FeedEntry | None = getattr(self, "entry", None)
        return entry.previous_sequence if entry else None

    @property
    def payload(self) -> bytes:
        """The bytes that are sent: what was written, plus mode and number, which never change."""
        envelope = {
            "livemode": self.livemode,
            "test": self.is_test,
            "sequence": self.sequence,
            "previous_sequence": self.previous_sequence,
        }
        known = {name: value for name, value in envelope.items() if value is not None}
        return bytes(self.body)[:-1] + b"," + dump_json(known)[1:]


class UnnumberedEvent(models.Model):
    """An event waiting for its number. A trigger inserts it with the event.

    Ids are assigned as events are written: an event that was committed before another was written
    has the lower id.
    """

    event = models.ForeignKey(
        "webhooks.Event",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

    def __str__(self) -> str:
        return f"{self.event_id}, not yet numbered"


class FeedEntry(models.Model):
    """The number of an event: without a gap per merchant and mode, from 1. Never changed.

    `previous_sequence` is that of the previous event about the same object. `type` is the event's,
    for the feed of one type; what the previous release writes gets it from a trigger.
    """

    event = models.OneToOneField(
        "webhooks.Event", on_delete=models.PROTECT, primary_key=True, related_name="entry"
    )
    merchant = models.ForeignKey(
        "merchants.Merchant", on_delete=models.PROTECT, db_index=False, db_constraint=False
    )
    livemode = models.BooleanField()
    resource_id = PublicIdField()
    type = models.CharField(max_length=40, null=True)  # noqa: DJ001  # the previous release has none
    sequence = models.BigIntegerField()
    previous_sequence = models.BigIntegerField(null=True)

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "resource_id", "sequence"],
                name="feed_entry_of_object",
            ),
            models.Index(
                fields=["merchant", "livemode", "type", "sequence"], name="feed_entry_of_type"
            ),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["merchant", "livemode", "sequence"], name="feed_entry_once"
            ),
            models.CheckConstraint(condition=Q(sequence__gt=0), name="feed_entry_from_one"),
        )

    def __str__(self) -> str:
        return f"{self.sequence} of {self.merchant_id}"
