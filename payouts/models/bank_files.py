"""Bank files, and the statements of the account that payouts leave from."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q

MAX_REFERENCE = 35
MAX_NUMBER = 45  # a reference, and the number of a page


class BankSource(models.TextChoices):
    """The kind of file. Only a statement proves what the bank has booked."""

    STATUS_REPORT = "status_report", "status report (pain.002)"
    STATEMENT = "statement", "statement (camt.053)"
    NOTIFICATION = "notification", "notification (camt.054)"


class BankFile(models.Model):
    """A bank file, unique by kind and message id. `content_hash` is its SHA-256."""

    source = models.CharField(max_length=16, choices=BankSource)
    message_id = models.CharField(max_length=MAX_REFERENCE)
    livemode = models.BooleanField()
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["livemode", "source", "message_id"], name="bank_file_once"
            ),
        )

    def __str__(self) -> str:
        return self.message_id


class BankStatementQuerySet(models.QuerySet["BankStatement"]):
    def current(self) -> Self:
        """Return the statements that no other has amended."""
        return self.filter(amended_by=None)


class BankStatement(models.Model):
    """A statement of the account that payouts leave from. Amounts in cents, negative if overdrawn.

    `entries_amount` is the sum of its entries: credits less debits. A balance is null if this
    page of the statement has none. `written_at` is when the bank created it; a later one with the
    same number and start `amends` it, and holds the new entries.
    """

    file = models.ForeignKey(BankFile, on_delete=models.PROTECT, related_name="statements")
    livemode = models.BooleanField()
    number = models.CharField(max_length=MAX_NUMBER)
    currency = models.CharField(max_length=3)
    start_at = models.DateTimeField()
    end_at = models.DateTimeField()
    opening_amount = models.BigIntegerField(null=True)
    closing_amount = models.BigIntegerField(null=True)
    entries_amount = models.BigIntegerField()
    written_at = models.DateTimeField(null=True)
    amends = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="amended_by"
    )
    created_at = models.DateTimeField()

    objects: ClassVar[BankStatementQuerySet] = BankStatementQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            # Some banks number their statements from 1 again each year.
            models.UniqueConstraint(
                fields=["livemode", "currency", "number", "start_at"],
                condition=Q(amends=None),
                name="bank_statement_once",
            ),
            models.CheckConstraint(
                condition=Q(opening_amount=None)
                | Q(closing_amount=None)
                | Q(closing_amount=F("opening_amount") + F("entries_amount")),
                name="bank_statement_adds_up",
            ),
        )
        indexes = (
            models.Index(fields=["livemode", "currency", "start_at"], name="bank_statement_first"),
        )

    def __str__(self) -> str:
        return self.number
