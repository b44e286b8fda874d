"""The movements of a merchant's ledger account between two payouts."""

from django.db import models
from django.db.models import F, Q

from ledger.models import Account, Transfer

_OPEN = Q(closed_at__isnull=True)


class Statement(models.Model):
    """A period of a merchant's ledger account: the movements since the previous payout.

    An open statement gathers movements; a payout closes it, and the remainder opens the next one.
    Amounts in cents; `movements_amount` excludes the payout itself. All transfers up to the id
    `gathered_through` have been gathered; it advances to `horizon_transfer` once every transaction
    numbered below `horizon_transaction` has ended.
    """

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    opening_amount = models.BigIntegerField()
    movements_amount = models.BigIntegerField(default=0)
    movements_count = models.PositiveIntegerField(default=0)
    payout_amount = models.BigIntegerField(null=True)
    closing_amount = models.BigIntegerField(null=True)
    gathered_through = models.BigIntegerField(default=0)
    horizon_transfer = models.BigIntegerField(null=True)
    horizon_transaction = models.BigIntegerField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["account", "number"], name="statement_number_once"),
            models.UniqueConstraint(fields=["account"], condition=_OPEN, name="statement_one_open"),
            models.CheckConstraint(
                condition=Q(_OPEN, payout_amount__isnull=True, closing_amount__isnull=True)
                | Q(
                    Q(payout_amount__isnull=False, closing_amount__isnull=False),
                    closed_at__isnull=False,
                    payout_amount__gte=1,
                    closing_amount__gte=0,
                    closing_amount=F("opening_amount") + F("movements_amount") - F("payout_amount"),
                ),
                name="statement_adds_up",
            ),
        )

    def __str__(self) -> str:
        return f"statement {self.number} of account {self.account_id}"


class StatementLine(models.Model):
    """A transfer in a statement: each is in exactly one. `amount` is negative for a debit."""

    transfer = models.OneToOneField(
        Transfer, on_delete=models.PROTECT, primary_key=True, related_name="statement_line"
    )
    statement = models.ForeignKey(
        Statement, on_delete=models.PROTECT, related_name="lines", db_index=False
    )
    amount = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=["statement", "transfer"], name="statement_lines"),)

    def __str__(self) -> str:
        return f"transfer {self.transfer_id}: {self.amount}"
