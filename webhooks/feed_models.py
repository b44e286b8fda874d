"""The feed: the events of a merchant and mode in the order in which they happened, numbered."""

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField


class UnnumberedEvent(models.Model):
    """An event that waits for its number. A trigger inserts it with the event.

    `id` is given out as the event is written: of two, one of which was committed when the other was
    written, that one has the lower.
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

    `previous_sequence` is that of the event before it about the same object.
    """

    event = models.OneToOneField(
        "webhooks.Event", on_delete=models.PROTECT, primary_key=True, related_name="entry"
    )
    merchant = models.ForeignKey(
        "merchants.Merchant", on_delete=models.PROTECT, db_index=False, db_constraint=False
    )
    livemode = models.BooleanField()
    resource_id = PublicIdField()
    sequence = models.BigIntegerField()
    previous_sequence = models.BigIntegerField(null=True)

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "resource_id", "sequence"],
                name="feed_entry_of_object",
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
