"""Events: what happened, who is told, and the bytes that are sent."""

from django.db import models

from core.errors import NotFound
from core.ids import PublicIdField
from merchants.scoping import CallerScoped
from webhooks.event_types import EventType


class EventQuerySet(CallerScoped["Event"]):
    missing = NotFound


class Event(models.Model):
    """One fact: outbox, audit and payload in one row, written with what made it true.

    `body` is the exact bytes that every delivery sends.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    type = models.CharField(max_length=40, choices=EventType)
    resource_id = PublicIdField(db_index=True)
    body = models.BinaryField()
    created_at = models.DateTimeField()

    objects = EventQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="event_newest"
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.id}"
