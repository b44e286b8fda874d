"""The tables behind a counter: the merchant's till, and the tickets put on its QR code."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.money import MAX_AMOUNT
from payments.errors import TicketClosed


class Till(models.Model):
    """What a merchant's counters offer, live or in test mode.

    `products` are presets of name, price and currency; `tips_allowed` lets customers add a tip.
    """

    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    products = models.JSONField(default=list)
    tips_allowed = models.BooleanField(default=False)
    updated_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["merchant", "livemode"], name="till_once"),)

    def __str__(self) -> str:
        return f"till of {self.merchant_id}"


class TicketQuerySet(models.QuerySet["Ticket"]):
    def open_at(self, counter_id: str, now: datetime) -> Self:
        """Return the tickets that customers at a counter can pay now, oldest first."""
        waiting = self.filter(counter=counter_id, taken_at=None, withdrawn_at=None)
        return waiting.filter(expires_at__gt=now).order_by("created_at", "id")

    def locked_open(self, counter_id: str, ticket_id: str, now: datetime) -> "Ticket":
        """Lock and return a ticket that can be paid now. Raises TicketClosed."""
        ticket = self.filter(pk=ticket_id, counter=counter_id).select_for_update(no_key=True)
        if (found := ticket.first()) is None or not found.is_open(now):
            raise TicketClosed
        return found


class Ticket(models.Model):
    """A sum that the cashier has put on a counter's QR code, for one customer to pay.

    `amount`, in cents, excludes a tip; `items` are line items like an order's, or null. Several
    phones may open payments for it: the first to pay takes it.
    """

    id = PublicIdField(primary_key=True)
    counter = models.ForeignKey(
        "payments.Payment", on_delete=models.PROTECT, related_name="tickets", db_index=False
    )
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    items = models.JSONField(null=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True)
    taken_by = models.OneToOneField(
        "payments.Payment", on_delete=models.PROTECT, null=True, related_name="+"
    )
    withdrawn_at = models.DateTimeField(null=True)

    objects: ClassVar[TicketQuerySet] = TicketQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["counter", "created_at", "id"],
                name="ticket_waiting",
                condition=Q(taken_at=None, withdrawn_at=None),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__range=(1, MAX_AMOUNT)), name="ticket_amount"
            ),
            models.CheckConstraint(
                condition=Q(taken_at=None, taken_by=None)
                | Q(taken_at__isnull=False, taken_by__isnull=False, withdrawn_at=None),
                name="ticket_ends_once",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def is_open(self, now: datetime) -> bool:
        """Return whether customers can still open payments for it."""
        return self.taken_at is None and self.withdrawn_at is None and self.expires_at > now
