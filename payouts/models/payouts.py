"""A payout, and the batch that it leaves in."""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.money import MAX_AMOUNT
from core.signatures import SignatureField, SignedRow
from merchants.scoping import CallerScoped
from merchants.statuses import MerchantStatus
from payouts.errors import PayoutNotFound, PayoutStatusUnfit
from payouts.models.accounts import BankAccount
from payouts.models.statements import Statement
from payouts.statuses import EVER_PAID, TRANSITIONS, PayoutStatus

MAX_BANK_REFERENCE = 140
MAX_FAILURE_CODE = 40
MAX_FAILURE_MESSAGE = 255
LATE = timedelta(days=1)
_SENDABLE = Q(status=PayoutStatus.SCHEDULED) & ~Q(merchant__status=MerchantStatus.SUSPENDED)


class PayoutBatch(SignedRow):
    """Payouts that staff send to the bank together, in one file. `total_amount` in cents.

    `message_id` and `orders_hash` are derived from the orders, so that the same payouts make the
    same message; both are empty in batches older than these columns. `file_hash` is the SHA-256
    of the ISO 20022 file, once written.
    """

    id = PublicIdField(primary_key=True)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    count = models.PositiveIntegerField()
    total_amount = models.BigIntegerField()
    execution_date = models.DateField()
    message_id = models.CharField(max_length=35, default="", blank=True)
    orders_hash = models.CharField(max_length=64, default="", blank=True)
    file_hash = models.CharField(max_length=64, default="", blank=True)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100)
    signature = SignatureField(
        *("id", "livemode", "currency", "count", "total_amount", "execution_date", "message_id"),
        *("orders_hash", "file_hash", "created_at", "created_by"),
        in_log=True,
    )

    def __str__(self) -> str:
        return self.id


class PayoutOrigin(models.TextChoices):
    """Who requested a payout."""

    SCHEDULE = "schedule"
    API = "api"
    STAFF = "staff"


class PayoutQuerySet(CallerScoped["Payout"]):
    missing = PayoutNotFound

    def sendable(self) -> Self:
        """Return scheduled payouts that may be sent: those of suspended merchants wait."""
        return self.filter(_SENDABLE)

    def overdue(self, now: datetime) -> Self:
        """Return payouts that should have arrived, or could have left, before yesterday."""
        yesterday = (now - LATE).date()
        return self.filter(
            _SENDABLE & Q(send_date__lt=yesterday)
            | Q(status=PayoutStatus.IN_TRANSIT, arrival_date__lt=yesterday)
        )

    def to_show(self) -> Self:
        """Join the rows that a payout is shown with."""
        return self.select_related("bank_account", "statement")


class Payout(models.Model):
    """Money on its way from a merchant's balance to its bank account. `amount` in cents.

    `booked_at` and `return_booked_at` are when we read, in a statement of our own bank, that it
    has left and that it has come back.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    status = models.CharField(max_length=16, choices=PayoutStatus, default=PayoutStatus.SCHEDULED)
    origin = models.CharField(max_length=16, choices=PayoutOrigin)
    description = models.CharField(max_length=140, default="", blank=True)
    bank_account = models.ForeignKey(BankAccount, on_delete=models.PROTECT)
    statement = models.OneToOneField(Statement, on_delete=models.PROTECT, related_name="payout")
    batch = models.ForeignKey(
        PayoutBatch, on_delete=models.PROTECT, null=True, related_name="payouts"
    )
    send_date = models.DateField()
    arrival_date = models.DateField()
    bank_reference = models.CharField(max_length=MAX_BANK_REFERENCE, default="", blank=True)
    failure_code = models.CharField(max_length=MAX_FAILURE_CODE, default="", blank=True)
    failure_message = models.CharField(max_length=MAX_FAILURE_MESSAGE, default="", blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    in_transit_at = models.DateTimeField(null=True)
    paid_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    canceled_at = models.DateTimeField(null=True)
    returned_at = models.DateTimeField(null=True)
    booked_at = models.DateTimeField(null=True)
    return_booked_at = models.DateTimeField(null=True)
    # Its terms, which never change. Its status follows from its transitions.
    signature = SignatureField(
        *("id", "merchant_id", "livemode", "amount", "currency", "origin", "bank_account_id"),
        *("statement_id", "created_at"),
        in_log=True,
    )

    objects: ClassVar[PayoutQuerySet] = PayoutQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="payout_newest"
            ),
            models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="payout_by_amount",
            ),
            models.Index(
                fields=["send_date"], name="payout_due", condition=Q(status=PayoutStatus.SCHEDULED)
            ),
            models.Index(
                fields=["arrival_date"],
                name="payout_arriving",
                condition=Q(status=PayoutStatus.IN_TRANSIT),
            ),
            models.Index(
                fields=["paid_at"],
                name="payout_unbooked",
                condition=Q(status=PayoutStatus.PAID, booked_at=None),
            ),
            models.Index(
                fields=["returned_at"],
                name="payout_returns",
                condition=Q(status=PayoutStatus.RETURNED),
            ),
            models.Index(
                fields=["failed_at"],
                name="payout_refused_booked",
                condition=Q(status=PayoutStatus.FAILED)
                & (Q(booked_at__isnull=False) | Q(return_booked_at__isnull=False)),
            ),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MAX_AMOUNT), name="payout_amount"
            ),
            models.CheckConstraint(
                condition=Q(status__in=PayoutStatus.values), name="payout_status"
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{"status": status, f"{status}_at__isnull": False})
                    | (~Q(status=status) & Q(**{f"{status}_at__isnull": True})),
                    name=f"payout_{status}_at",
                )
                for status in ("failed", "canceled", "returned")
            ),
            models.CheckConstraint(
                condition=Q(status__in=sorted(EVER_PAID), paid_at__isnull=False)
                | (~Q(status__in=sorted(EVER_PAID)) & Q(paid_at__isnull=True)),
                name="payout_paid_at",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[PayoutStatus.FAILED, PayoutStatus.RETURNED])
                | ~Q(failure_code=""),
                name="payout_failure_code",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def transition_to(
        self, status: PayoutStatus, *, now: datetime, actor: str, cause: str = ""
    ) -> None:
        """Move to a status and record it. The row must be locked; all its columns are saved.

        Raises PayoutStatusUnfit if TRANSITIONS has no such move.
        """
        before = PayoutStatus(self.status)
        if status not in TRANSITIONS[before]:
            raise PayoutStatusUnfit(status=f"is {before}")
        self.status = status
        self.updated_at = now
        setattr(self, f"{status}_at", now)
        self.save(force_update=True)
        PayoutTransition.objects.create(
            payout=self, from_status=before, to_status=status, at=now, actor=actor, cause=cause
        )


class PayoutTransition(models.Model):
    """One transition of a payout: from (empty for the first), to, when, by whom and why."""

    payout = models.ForeignKey(Payout, on_delete=models.PROTECT, related_name="transitions")
    from_status = models.CharField(max_length=16, choices=PayoutStatus, default="", blank=True)
    to_status = models.CharField(max_length=16, choices=PayoutStatus)
    at = models.DateTimeField()
    actor = models.CharField(max_length=100)
    cause = models.CharField(max_length=255, default="", blank=True)
    signature = SignatureField("payout_id", "from_status", "to_status", "at", "actor", "cause")

    def __str__(self) -> str:
        return f"{self.payout_id}: {self.from_status} → {self.to_status}"
