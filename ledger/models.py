"""Money: accounts, the transfers between them, and the chain that seals the transfers.

A transfer is both legs in one row, so an imbalance cannot be written. A wallet carries its balance
on its own row at once. Every other account is deferred: posting only inserts, and sealing folds
the transfers into `balance` afterwards, so that many customers can pay one merchant at once.
"""

from django.db import models
from django.db.models import Case, F, OuterRef, Q, Subquery, Sum, When
from django.db.models.functions import Cast, Coalesce

from core.ids import PublicIdField
from core.limits import MAX_TEXT
from core.signatures import MAX_SIGNATURE, SignatureField
from ledger.log_models import Checkpoint as Checkpoint
from ledger.log_models import LogLeaf as LogLeaf
from ledger.log_models import LogSubtree as LogSubtree
from ledger.log_models import WaitingEntry as WaitingEntry
from ledger.log_models import WitnessState as WitnessState

HOUSE = "house"


class Purpose(models.TextChoices):
    """What the money of an account is for."""

    MERCHANT = "merchant"  # what the service owes a merchant
    PAYOUTS = "payouts"  # scheduled, or on its way to a bank
    FEES = "fees"  # what the service has earned
    BANK = "bank"  # money that has left
    FUNDING = "funding"  # where top-ups come from: the one account that may go below zero
    WALLET = "wallet"  # what the service owes a customer


class TransferKind(models.TextChoices):
    """Why money moved. One transfer per kind and reference."""

    PAYMENT = "payment"
    TIP = "tip"  # the part of a payment that is one
    FEE = "fee"
    REFUND = "refund"
    REFUND_FEE = "refund_fee"
    TOP_UP = "top_up"
    ADJUSTMENT = "adjustment"
    PAYOUT = "payout"
    PAYOUT_PAID = "payout_paid"
    PAYOUT_RETURNED = "payout_returned"  # it never arrived
    PAYOUT_REVERSED = "payout_reversed"  # it was paid, and the bank sent it back


# Accounts are locked in this order, and by id within a purpose, to rule out deadlocks.
LOCK_ORDER = {purpose: place for place, purpose in enumerate(Purpose)}


class Account(models.Model):
    """One owner's money of one currency and mode. `owner` is a public id, or the house itself.

    `balance` is credits less debits: of all transfers for a wallet, of the sealed ones for any
    other account. The identity of an account never changes, nor does `exponent`, the decimals of
    the currency when it was opened; and no account is ever deleted. `closed_until`: statements
    cover everything before it; no later posting is dated earlier.
    """

    owner = PublicIdField()
    purpose = models.CharField(max_length=16, choices=Purpose)
    currency = models.CharField(max_length=3)
    livemode = models.BooleanField()
    exponent = models.PositiveSmallIntegerField()
    balance = models.BigIntegerField(default=0)
    closed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["owner", "purpose", "currency", "livemode"], name="account_once"
            ),
            models.CheckConstraint(
                condition=Q(balance__gte=0) | Q(purpose=Purpose.FUNDING),
                name="account_not_below_zero",
            ),
            models.CheckConstraint(
                condition=Q(purpose__in=Purpose.values), name="account_purpose_known"
            ),
        )

    def __str__(self) -> str:
        mode = "live" if self.livemode else "test"
        return f"{self.owner} {self.purpose} {self.currency} ({mode})"


class Transfer(models.Model):
    """Money moved from one account to another. Never changed, never deleted, never replaced."""

    transaction_id = PublicIdField()
    kind = models.CharField(max_length=16, choices=TransferKind)
    reference = PublicIdField()
    debit_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    credit_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    amount = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    livemode = models.BooleanField()
    description = models.CharField(max_length=MAX_TEXT, default="")
    created_at = models.DateTimeField()
    signature = SignatureField(
        *("transaction_id", "kind", "reference", "debit_account_id", "credit_account_id"),
        *("amount", "currency", "livemode", "description", "created_at"),
        *("debit_account.owner", "debit_account.purpose"),
        *("credit_account.owner", "credit_account.purpose"),
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["reference", "kind"], name="transfer_once"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="transfer_amount_positive"),
            models.CheckConstraint(
                condition=Q(kind__in=TransferKind.values), name="transfer_kind_known"
            ),
            models.CheckConstraint(
                condition=~Q(debit_account=F("credit_account")), name="transfer_between_two"
            ),
        )
        indexes = (
            models.Index(fields=["transaction_id"], name="transfer_transaction"),
            models.Index(fields=["debit_account", "id"], name="transfer_debits"),
            models.Index(fields=["credit_account", "id"], name="transfer_credits"),
            models.Index(fields=["debit_account", "created_at", "id"], name="transfer_debits_at"),
            models.Index(fields=["credit_account", "created_at", "id"], name="transfer_credits_at"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.reference} {self.amount} {self.currency}"


class UnsealedTransfer(models.Model):
    """A transfer waiting for its seal, with the fields that the exact balance needs.

    The copy keeps that sum within this small table: it never reads the years of `Transfer`.
    """

    transfer = models.OneToOneField(
        Transfer, on_delete=models.PROTECT, primary_key=True, related_name="unsealed"
    )
    debit_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )
    credit_account = models.ForeignKey(
        Account, on_delete=models.PROTECT, related_name="+", db_constraint=False
    )
    amount = models.BigIntegerField()

    def __str__(self) -> str:
        return f"transfer {self.transfer_id}, not yet sealed"


class Seal(models.Model):
    """A link of the chain: the hash of a transfer and of the previous seal. Gapless from 0.

    Seal 0 holds no transfer: it starts the chain, and the process that is sealing holds its lock.
    """

    sequence = models.BigIntegerField(primary_key=True)
    transfer = models.OneToOneField(
        Transfer, on_delete=models.PROTECT, null=True, related_name="seal"
    )
    hash = models.CharField(max_length=64)
    sealed_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(sequence=0, transfer=None) | Q(sequence__gt=0, transfer__isnull=False),
                name="seal_holds_a_transfer",
            ),
        )

    def __str__(self) -> str:
        return f"seal {self.sequence}"


class Proof(models.Model):
    """The state of the scheduled proofs: what is proven, the result, and when to go on.

    One row, claimed by moving `due_at` or `whole_due_at`, so that of two workers one proves.
    `problem` is the first wrong row, empty if all is right.

    The proof of what is new last read what came after the first `since` leaves; the first `leaves`,
    a signed head, and the seals up to `sequence` were right. The proof of everything resumes in
    `part` at `position`; it began at `whole_started_at`, and the previous one ended at
    `whole_ended_at`. We sign the marks: changing this row does not spare us a proof.
    """

    ONLY = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    due_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    since = models.BigIntegerField(default=0)
    leaves = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)
    mark = models.CharField(max_length=MAX_SIGNATURE, default="", blank=True)
    whole_due_at = models.DateTimeField(null=True)
    whole_started_at = models.DateTimeField(null=True)
    whole_ended_at = models.DateTimeField(null=True)
    part = models.CharField(max_length=100, default="", blank=True)
    position = models.CharField(max_length=64, default="", blank=True)
    whole_problem = models.TextField(default="", blank=True)
    whole_mark = models.CharField(max_length=MAX_SIGNATURE, default="", blank=True)
    problem = models.TextField(default="", blank=True)

    class Meta:
        constraints = (models.CheckConstraint(condition=Q(id=1), name="proof_only_one"),)

    def __str__(self) -> str:
        return self.problem or f"proven at {self.ended_at}"


def exact_balance() -> Cast:
    """Return the current balance of an account, sealed and unsealed transfers included."""
    deferred = F("balance") + _unsealed("credit_account") - _unsealed("debit_account")
    exact = Case(When(purpose=Purpose.WALLET, then="balance"), default=deferred)
    return Cast(exact, models.BigIntegerField())


def _unsealed(side: str) -> Coalesce:
    waiting = UnsealedTransfer.objects.filter(**{side: OuterRef("pk")})
    sums = waiting.order_by().values(side).annotate(total=Sum("amount")).values("total")
    return Coalesce(Subquery(sums), 0, output_field=models.BigIntegerField())
