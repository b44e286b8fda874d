"""An inquiry: what a customer reports about a payment, and the answers."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.limits import MAX_TEXT
from merchants.callers import VISITOR
from merchants.scoping import CallerScoped
from refunds.errors import InquiryNotFound, InquiryNotOpen
from refunds.inquiry_statuses import INQUIRY_TRANSITIONS, InquiryReason, InquiryStatus

_OPEN = Q(status=InquiryStatus.OPEN)
_AUTHORS = {
    "customer": "customer",
    "key": "merchant",
    "development": "merchant",
    "staff": "service",
    "system": "service",
}


class InquiryQuerySet(CallerScoped["Inquiry"]):
    missing = InquiryNotFound

    def open(self) -> Self:
        """Return the inquiries whose customers wait for an answer."""
        return self.filter(_OPEN)


class Inquiry(models.Model):
    """The inquiry of a payment, one at most: a customer who writes again reopens it.

    `open_since` is when the customer began to wait for an answer; null if it is not open.
    """

    id = PublicIdField(primary_key=True)
    payment = models.OneToOneField("payments.Payment", on_delete=models.PROTECT)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, db_index=False)
    livemode = models.BooleanField()
    reason = models.CharField(max_length=16, choices=InquiryReason)
    status = models.CharField(max_length=16, choices=InquiryStatus, default=InquiryStatus.OPEN)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    open_since = models.DateTimeField(null=True)

    objects: ClassVar[InquiryQuerySet] = InquiryQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        verbose_name_plural = "inquiries"
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="inquiry_newest"
            ),
            models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="inquiry_by_status",
            ),
            models.Index(fields=["livemode", "open_since"], name="inquiry_open", condition=_OPEN),
        )
        constraints = (
            models.CheckConstraint(
                condition=(_OPEN & Q(open_since__isnull=False))
                | Q(status__in=sorted(set(InquiryStatus) - {InquiryStatus.OPEN}), open_since=None),
                name="inquiry_status",
            ),
            models.CheckConstraint(
                condition=Q(reason__in=InquiryReason.values), name="inquiry_reason"
            ),
        )

    def __str__(self) -> str:
        return self.id

    def transition_to(
        self, status: InquiryStatus, *, actor: str, now: datetime, text: str = ""
    ) -> "InquiryEntry":
        """Move to a status and record by whom and with what text. The row is locked or unsaved.

        Raises InquiryNotOpen.
        """
        if not self._state.adding and status not in INQUIRY_TRANSITIONS[InquiryStatus(self.status)]:
            raise InquiryNotOpen(status=f"is {self.status}")
        self.status = status
        self.updated_at = now
        self.open_since = (self.open_since or now) if status == InquiryStatus.OPEN else None
        self.save(force_insert=self._state.adding)
        entries = InquiryEntry.objects
        return entries.create(inquiry=self, status=status, actor=actor, text=text, at=now)


class InquiryEntry(models.Model):
    """What was written, and the resulting status. Erasing its author's data clears `text`."""

    inquiry = models.ForeignKey(Inquiry, on_delete=models.PROTECT, related_name="entries")
    status = models.CharField(max_length=16, choices=InquiryStatus)
    text = models.CharField(max_length=MAX_TEXT, default="", blank=True)
    actor = models.CharField(max_length=100)
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "inquiry entries"
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.inquiry_id}: {self.status}"

    @property
    def author(self) -> str:
        """The author as shown to merchants and customers.

        `customer`, `merchant` or `service`; or `visitor`: someone with the receipt who was not
        signed in as its customer.
        """
        kind = self.actor.partition(":")[0]
        if kind == "customer" and self.actor != f"customer:{self.inquiry.payment.customer_id}":
            return VISITOR
        return _AUTHORS.get(kind, VISITOR)
