"""A payout, the statement that it closes, and where it goes."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q

from core import crypto
from core.ids import PublicIdField
from core.money import MAX_AMOUNT
from ledger.models import Account, Transfer
from merchants.scoping import CallerScoped
from payouts.errors import BankAccountNotFound, PayoutNotFound, PayoutStatusUnfit
from payouts.statuses import TRANSITIONS, PayoutStatus

MAX_BANK_REFERENCE = 140
MAX_FAILURE_CODE = 40
MAX_FAILURE_MESSAGE = 255

_OPEN = Q(closed_at__isnull=True)


class BankAccountQuerySet(CallerScoped["BankAccount"]):
    missing = BankAccountNotFound

    def open(self) -> Self:
        """Those that money may be sent to."""
        return self.filter(closed_at=None)


class BankAccount(models.Model):
    """Where a merchant's money goes, per currency and mode. A change is a new account.

    `encrypted_number` is the account number, encrypted together with the id, so that a copy in
    another row opens nothing.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    holder_name = models.CharField(max_length=140)
    bank_name = models.CharField(max_length=140)
    bic = models.CharField(max_length=11, default="", blank=True)
    clearing_code = models.CharField(max_length=35, default="", blank=True)
    encrypted_number = models.TextField()
    last_four = models.CharField(max_length=4)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=100, default="", blank=True)

    objects: ClassVar[BankAccountQuerySet] = BankAccountQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["merchant", "livemode", "currency"],
                condition=_OPEN,
                name="bank_account_one_open",
            ),
            models.CheckConstraint(
                condition=~Q(bic="") | ~Q(clearing_code=""), name="bank_account_bank_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.bank_name} …{self.last_four}"

    def encrypt_number(self, number: str) -> None:
        """Keep the account number: encrypted, and its last four characters to show."""
        self.encrypted_number = crypto.encrypt(f"{self.id} {number}")
        self.last_four = number[-4:]

    def decrypt_number(self) -> str:
        """Read the account number. Only what leaves for the bank may need it."""
        owner, _, number = crypto.decrypt(self.encrypted_number).partition(" ")
        if owner != self.id:
            raise ValueError(f"The number in {self.id} belongs to another bank account.")
        return number


class Statement(models.Model):
    """A period of a merchant's ledger account: the movements since the previous payout.

    An open statement gathers movements; a payout closes it, and the rest opens the next one.
    Amounts in cents, `movements_amount` without the payout itself. No transfer of the account up to
    the id `gathered_through` is still to be gathered.
    """

    account = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    opening_amount = models.BigIntegerField()
    movements_amount = models.BigIntegerField(default=0)
    movements_count = models.PositiveIntegerField(default=0)
    payout_amount = models.BigIntegerField(null=True)
    closing_amount = models.BigIntegerField(null=True)
    gathered_through = models.BigIntegerField(default=0)
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
    """A transfer as its statement shows it: in exactly one. `amount` is negative for a debit."""

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


class PayoutBatch(models.Model):
    """Payouts that staff hand to the bank together, in one file. `total_amount` in cents."""

    id = PublicIdField(primary_key=True)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    count = models.PositiveIntegerField()
    total_amount = models.BigIntegerField()
    execution_date = models.DateField()
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100)

    def __str__(self) -> str:
        return self.id


class PayoutOrigin(models.TextChoices):
    """Who asked for a payout."""

    SCHEDULE = "schedule"
    API = "api"
    STAFF = "staff"


class PayoutQuerySet(CallerScoped["Payout"]):
    missing = PayoutNotFound

    def to_show(self) -> Self:
        """Add what the record shows of other rows."""
        return self.select_related("bank_account", "statement")


class Payout(models.Model):
    """Money on its way from a merchant's balance to its bank account. `amount` in cents."""

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

    objects: ClassVar[PayoutQuerySet] = PayoutQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        indexes = (
            models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="payout_newest"
            ),
            models.Index(
                fields=["send_date"], name="payout_due", condition=Q(status=PayoutStatus.SCHEDULED)
            ),
            models.Index(
                fields=["arrival_date"],
                name="payout_arriving",
                condition=Q(status=PayoutStatus.IN_TRANSIT),
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
                for status in ("paid", "failed", "canceled")
            ),
            models.CheckConstraint(
                condition=~Q(status=PayoutStatus.FAILED) | ~Q(failure_code=""),
                name="payout_failure_code",
            ),
        )

    def __str__(self) -> str:
        return self.id

    def transition_to(
        self, status: PayoutStatus, *, now: datetime, actor: str, cause: str = ""
    ) -> None:
        """Move to a status and record it. The row must be locked and its fields are saved whole.

        Raises PayoutStatusUnfit where the table of transitions has no such move.
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

    def __str__(self) -> str:
        return f"{self.payout_id}: {self.from_status} → {self.to_status}"


class SettledPeriod(models.Model):
    """The first day of the last period for which a merchant's payout was scheduled."""

    merchant = models.ForeignKey("merchants.Merchant", on_delete=models.PROTECT)
    livemode = models.BooleanField()
    currency = models.CharField(max_length=3)
    first_day = models.DateField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["merchant", "livemode", "currency"], name="settled_period_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.merchant_id} {self.currency}: {self.first_day}"


class BankHoliday(models.Model):
    """A bank holiday other than a weekend. Staff maintain the list."""

    date = models.DateField(primary_key=True)
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        return f"{self.date} {self.name}"
