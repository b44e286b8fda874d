"""A refund: money on its way back from a merchant's balance to the wallet that paid."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from merchants.scoping import CallerScoped
from refunds.errors import RefundFinal, RefundNotFound
from refunds.statuses import TRANSITIONS, RefundStatus

_STAMPED = {RefundStatus.SUCCEEDED: "succeeded_at", RefundStatus.FAILED: "failed_at"}


class RefundQuerySet(CallerScoped["Refund"]):
    missing = RefundNotFound


class Refund(models.Model):
    """`amount` in cents of `currency`; `fee_returned` is the house's part of it, once succeeded.

    `pending` means that the merchant's balance did not cover it yet.
    """

    id = PublicIdField(primary_key=True)
    payment = models.ForeignKey("payments.Payment", on_delete=models.PROTECT)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=500, default="", blank=True)
    status = models.CharField(max_length=16, choices=RefundStatus, default=RefundStatus.PENDING)
    transaction_id = PublicIdField(null=True, unique=True)
    fee_returned = models.BigIntegerField(default=0)
    failure_reason = models.CharField(max_length=255, default="", blank=True)
    created_by = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    notified_at = models.DateTimeField(null=True)

    objects = RefundQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="refund_newest"
            ),
            models.Index(
                fields=["created_at"],
                name="refund_pending",
                condition=Q(status=RefundStatus.PENDING),
            ),
            models.Index(
                fields=["succeeded_at"],
                name="refund_to_notify",
                condition=Q(status=RefundStatus.SUCCEEDED, notified_at__isnull=True),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=99_999_999_999), name="refund_amount"
            ),
            models.CheckConstraint(
                condition=Q(status__in=RefundStatus.values), name="refund_status"
            ),
            models.CheckConstraint(
                condition=Q(
                    status=RefundStatus.SUCCEEDED,
                    succeeded_at__isnull=False,
                    transaction_id__isnull=False,
                )
                | Q(~Q(status=RefundStatus.SUCCEEDED), succeeded_at__isnull=True),
                name="refund_succeeded_at",
            ),
            models.CheckConstraint(
                condition=Q(fee_returned__gte=0, fee_returned__lte=models.F("amount")),
                name="refund_fee_returned",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def transition_to(self, status: RefundStatus, *, now: datetime, actor: str) -> None:
        """Move to a final status and record it; the row is locked. Raises RefundFinal."""
        before = RefundStatus(self.status)
        if status not in TRANSITIONS[before]:
            raise RefundFinal
        self.status = status
        self.updated_at = now
        setattr(self, _STAMPED[status], now)
        self.save(force_update=True)
        RefundTransition.objects.create(
            refund=self, from_status=before, to_status=status, at=now, actor=actor
        )


class RefundTransition(models.Model):
    """One move of one refund. Never changed."""

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="transitions")
    from_status = models.CharField(max_length=16, choices=RefundStatus)
    to_status = models.CharField(max_length=16, choices=RefundStatus)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)

    def __str__(self) -> str:
        return f"{self.refund_id}: {self.from_status} → {self.to_status}"
