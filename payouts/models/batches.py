"""The orders of a batch, and the row that shuts payouts after a restore."""

from typing import Self

from django.db import models
from django.db.models import Q

from core.money import MAX_AMOUNT
from core.sealed import SealedTextField, bound, seal, unseal
from core.signatures import SignatureField
from payouts.models.accounts import number_in
from payouts.models.payouts import Payout, PayoutBatch


class PayoutOrder(models.Model):
    """The order for one payout exactly as sent to the bank: once, in one batch. Never changed."""

    payout = models.OneToOneField(
        Payout, on_delete=models.PROTECT, primary_key=True, related_name="order"
    )
    batch = models.ForeignKey(PayoutBatch, on_delete=models.PROTECT, related_name="orders")
    end_to_end_id = models.CharField(max_length=35, unique=True)
    amount = models.BigIntegerField()
    holder_name = models.CharField(max_length=140)
    bank_name = models.CharField(max_length=140)
    bic = models.CharField(max_length=11, default="", blank=True)
    clearing_code = models.CharField(max_length=35, default="", blank=True)
    encrypted_number = bound(SealedTextField(), "payout_id")
    description = models.CharField(max_length=140, default="", blank=True)
    signature = SignatureField(
        *("payout_id", "batch_id", "end_to_end_id", "amount", "holder_name", "bank_name", "bic"),
        *("clearing_code", "encrypted_number", "description"),
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MAX_AMOUNT), name="payout_order_amount"
            ),
        )

    def __str__(self) -> str:
        return self.end_to_end_id

    @classmethod
    def of(cls, payout: Payout, end_to_end_id: str) -> Self:
        """Return an unsaved order to pay a payout to its bank account as it is now."""
        account = payout.bank_account
        order = cls(
            payout=payout,
            end_to_end_id=end_to_end_id,
            amount=payout.amount,
            holder_name=account.holder_name,
            bank_name=account.bank_name,
            bic=account.bic,
            clearing_code=account.clearing_code,
            description=payout.description,
        )
        seal(order, "encrypted_number", f"{payout.id} {account.decrypt_number()}")
        return order

    def decrypt_number(self) -> str:
        """Return the account number in clear. Only bank files and their reconciliation need it."""
        return number_in(self.payout_id, unseal(self, "encrypted_number"))


class Continuity(models.Model):
    """One row: the database identity last confirmed, and since when payouts are shut."""

    identity = models.CharField(max_length=64, default="", blank=True)
    confirmed_at = models.DateTimeField()
    confirmed_by = models.CharField(max_length=100)
    shut_at = models.DateTimeField(null=True)
    shut_by = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(id=1), name="continuity_is_one_row"),)

    def __str__(self) -> str:
        return "shut" if self.shut_at else "open"
