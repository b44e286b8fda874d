"""Where a merchant's money goes."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from core.sealed import SealedTextField, bound, seal, unseal
from core.signatures import SignatureField, SignedRow
from merchants.scoping import CallerScoped
from payouts.errors import BankAccountNotFound


class AccountState(models.TextChoices):
    """Whether money may be sent to a bank account; it follows from the columns of its row."""

    PENDING = "pending"
    OPEN = "open"
    DECLINED = "declined"
    CLOSED = "closed"


_LAST_CLOSED = F("closed_at").desc(nulls_first=True)


class BankAccountQuerySet(CallerScoped["BankAccount"]):
    missing = BankAccountNotFound

    def open(self) -> Self:
        """Those that money may be sent to."""
        return self.filter(closed_at=None, is_pending=False)

    def pending(self) -> Self:
        """Those that a merchant has asked for, and staff have yet to decide on."""
        return self.filter(closed_at=None, is_pending=True)

    def like(self, account: "BankAccount") -> Self:
        """Those of the same merchant, mode and currency."""
        return self.filter(
            merchant=account.merchant_id, livemode=account.livemode, currency=account.currency
        )

    def before(self, account: "BankAccount") -> "BankAccount | None":
        """The one in whose place an account comes: the one in force, or else the last that was."""
        others = self.like(account).filter(is_pending=False).exclude(pk=account.pk)
        return others.order_by(_LAST_CLOSED, "-created_at", "-id").first()

    def not_closed(self) -> Self:
        """Those that are open, or may yet be."""
        return self.filter(closed_at=None)


class BankAccount(SignedRow):
    """Where a merchant's money goes, per currency and mode. A change is a new account.

    `is_pending` says that staff have not approved it: one that is closed so was declined.

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
    encrypted_number = bound(SealedTextField(), "id")
    last_four = models.CharField(max_length=4)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100)
    closed_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=100, default="", blank=True)
    is_pending = models.BooleanField(default=False, db_default=False)
    signature = SignatureField(
        *("id", "merchant_id", "livemode", "currency", "holder_name", "bank_name", "bic"),
        *("clearing_code", "encrypted_number", "last_four", "created_at", "created_by"),
        *("closed_at", "closed_by"),
        added_later={"is_pending": False},
        in_log=True,
    )

    objects: ClassVar[BankAccountQuerySet] = BankAccountQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["merchant", "livemode", "currency"],
                condition=Q(closed_at__isnull=True, is_pending=False),
                name="bank_account_one_open",
            ),
            models.UniqueConstraint(
                fields=["merchant", "livemode", "currency"],
                condition=Q(closed_at__isnull=True, is_pending=True),
                name="bank_account_one_pending",
            ),
            models.CheckConstraint(
                condition=~Q(bic="") | ~Q(clearing_code=""), name="bank_account_bank_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.bank_name} …{self.last_four}"

    @property
    def state(self) -> AccountState:
        """Whether money may be sent to it."""
        if self.is_pending:
            return AccountState.DECLINED if self.closed_at else AccountState.PENDING
        return AccountState.CLOSED if self.closed_at else AccountState.OPEN

    def encrypt_number(self, number: str) -> None:
        """Keep the account number: encrypted, and its last four characters to show."""
        seal(self, "encrypted_number", f"{self.id} {number}")
        self.last_four = number[-4:]

    def decrypt_number(self) -> str:
        """Read the account number. Only what leaves for the bank may need it."""
        return number_in(self.id, unseal(self, "encrypted_number"))


def number_in(owner: str, text: str) -> str:
    """Read an account number that was encrypted with the id of its row. Raises ValueError."""
    found, _, number = text.partition(" ")
    if found != owner:
        raise ValueError(f"The number in {owner} belongs to another row.")
    return number
