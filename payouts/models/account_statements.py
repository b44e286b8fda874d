"""Account statements that merchants request: all movements in a period of their choice."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from merchants.scoping import CallerScoped
from payouts.errors import AccountStatementNotFound

_READY = Q(ready_at__isnull=False, opening_amount__isnull=False, closing_amount__isnull=False)
_PENDING = Q(ready_at=None, opening_amount=None, closing_amount=None)


class AccountStatementQuerySet(CallerScoped["AccountStatement"]):
    missing = AccountStatementNotFound


class AccountStatement(models.Model):
    """A merchant's movements in [`start_at`, `end_at`), in cents; debits are negative.

    The lines are copied part by part; `read_at` and `read_id` identify the last transfer copied.
    A ready statement adds up, and is deleted with its lines when its retention period is over.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    start_at = models.DateTimeField()
    end_at = models.DateTimeField()
    opening_amount = models.BigIntegerField(null=True)
    payments_amount = models.BigIntegerField(default=0)
    fees_amount = models.BigIntegerField(default=0)
    refunds_amount = models.BigIntegerField(default=0)
    adjustments_amount = models.BigIntegerField(default=0)
    payouts_amount = models.BigIntegerField(default=0)
    returned_payouts_amount = models.BigIntegerField(default=0)
    closing_amount = models.BigIntegerField(null=True)
    lines_count = models.PositiveIntegerField(default=0)
    read_at = models.DateTimeField()
    read_id = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)

    objects: ClassVar[AccountStatementQuerySet] = AccountStatementQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"],
                name="account_statement_newest",
            ),
            models.Index(
                fields=["id"], name="account_statement_pending", condition=Q(ready_at=None)
            ),
            models.Index(fields=["created_at"], name="account_statement_age"),
        )
        constraints = (
            models.CheckConstraint(
                condition=Q(end_at__gt=F("start_at")), name="account_statement_period"
            ),
            models.CheckConstraint(
                condition=_PENDING
                | Q(
                    _READY,
                    closing_amount=F("opening_amount")
                    + F("payments_amount")
                    + F("fees_amount")
                    + F("refunds_amount")
                    + F("adjustments_amount")
                    + F("payouts_amount")
                    + F("returned_payouts_amount"),
                ),
                name="account_statement_adds_up",
            ),
        )

    def __str__(self) -> str:
        return self.id

    @property
    def status(self) -> str:
        """`pending` while its lines are being copied, then `ready`."""
        return "pending" if self.ready_at is None else "ready"


class AccountStatementPart(models.Model):
    """Lines of a statement, in order, as compressed JSON.

    Parts are numbered from 0 and have the same number of lines, except for the last one.
    """

    statement = models.ForeignKey(AccountStatement, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["statement", "number"], name="account_statement_part_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.statement_id}, part {self.number}"
