"""A refund: money on its way back from a merchant's balance to the wallet that paid."""

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.limits import MAX_TEXT
from core.money import MAX_AMOUNT
from core.signatures import SignatureField
from core.writing import insertion_of, update_of, write
from merchants.scoping import CallerScoped
from refunds.errors import RefundFinal, RefundNotFound
from refunds.inquiry_models import Inquiry as Inquiry
from refunds.inquiry_models import InquiryEntry as InquiryEntry
from refunds.statuses import TRANSITIONS, RefundStatus

STAMPED = {RefundStatus.SUCCEEDED: "succeeded_at", RefundStatus.FAILED: "failed_at"}
# The columns that a transition may change.
_MOVED = (
    *("status", "updated_at", *STAMPED.values()),
    *("transaction_id", "fee_returned", "failure_reason"),
)
_PENDING = Q(status=RefundStatus.PENDING)
_SUCCEEDED = Q(status=RefundStatus.SUCCEEDED)


class RefundQuerySet(CallerScoped["Refund"]):
    missing = RefundNotFound

    def pending(self) -> Self:
        """Return the refunds that wait for the merchant's balance to cover them."""
        return self.filter(_PENDING)


class Refund(models.Model):
    """A refund of `amount`, in cents.

    `fee_returned` is the service's fee on it that went back to the merchant, once succeeded.
    `pending` means that the merchant's balance does not cover it yet.
    """

    id = PublicIdField(primary_key=True)
    payment = models.ForeignKey("payments.Payment", on_delete=models.PROTECT)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT, db_index=False)
    livemode = models.BooleanField()
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reason = models.CharField(max_length=MAX_TEXT, default="", blank=True)
    status = models.CharField(max_length=16, choices=RefundStatus, default=RefundStatus.PENDING)
    transaction_id = PublicIdField(null=True, unique=True)
    fee_returned = models.BigIntegerField(default=0)
    failure_reason = models.CharField(max_length=255, default="", blank=True)
    created_by = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    succeeded_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    # Its terms, which never change. Its status follows from its transitions.
    signature = SignatureField(
        *("id", "payment_id", "merchant_id", "livemode", "amount", "currency"),
        *("reason", "created_by", "created_at"),
        in_log=True,
    )

    objects: ClassVar[RefundQuerySet] = RefundQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="refund_newest"
            ),
            models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="refund_by_status",
            ),
            models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="refund_by_amount",
            ),
            models.Index(
                fields=["merchant", "livemode", "currency", "-created_at", "-id"],
                name="refund_by_currency",
            ),
            models.Index(fields=["merchant", "livemode", "updated_at"], name="refund_updated"),
            models.Index(
                fields=["merchant", "livemode", "currency", "created_at"],
                name="refund_pending",
                condition=_PENDING,
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MAX_AMOUNT), name="refund_amount"
            ),
            models.CheckConstraint(
                condition=(_PENDING & Q(succeeded_at=None, failed_at=None))
                | (_SUCCEEDED & Q(succeeded_at__isnull=False, failed_at=None))
                | Q(status=RefundStatus.FAILED, succeeded_at=None, failed_at__isnull=False),
                name="refund_status",
            ),
            models.CheckConstraint(
                condition=(_SUCCEEDED & Q(transaction_id__isnull=False))
                | (~_SUCCEEDED & Q(transaction_id=None, fee_returned=0)),
                name="refund_transaction",
            ),
            models.CheckConstraint(
                condition=Q(fee_returned__gte=0, fee_returned__lte=models.F("amount")),
                name="refund_fee_returned",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def transition_to(
        self,
        status: RefundStatus,
        *,
        now: datetime,
        actor: str,
        send: Callable[..., object] = write,
    ) -> None:
        """Move to a final status and record it; `send` gets the statements that save both.

        The row is locked or unsaved. Raises RefundFinal.
        """
        before = RefundStatus(self.status)
        if status not in TRANSITIONS[before]:
            raise RefundFinal
        self.status = status
        self.updated_at = now
        setattr(self, STAMPED[status], now)
        row = insertion_of(self) if self._state.adding else update_of(self, *_MOVED)
        move = RefundTransition(
            refund=self, from_status=before, to_status=status, at=now, actor=actor
        )
        send(row, insertion_of(move))


class RefundTransition(models.Model):
    """One transition of a refund. Never changed."""

    refund = models.ForeignKey(Refund, on_delete=models.PROTECT, related_name="transitions")
    from_status = models.CharField(max_length=16, choices=RefundStatus)
    to_status = models.CharField(max_length=16, choices=RefundStatus)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    signature = SignatureField("refund_id", "from_status", "to_status", "at", "actor")

    def __str__(self) -> str:
        return f"{self.refund_id}: {self.from_status} → {self.to_status}"
