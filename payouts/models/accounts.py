"""The bank accounts that merchants are paid out to."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from core.sealed import SealedTextField, bound, seal, unseal
from core.signatures import SignatureField, SignedRow
from merchants.scoping import CallerScoped
from payouts.errors import BankAccountNotFound


class AccountState(models.TextChoices):
    """Whether money may be sent to a bank account; derived from its columns."""

    PENDING = "pending"
    OPEN = "open"
    DECLINED = "declined"
    CLOSED = "closed"


_LAST_CLOSED = F("closed_at").desc(nulls_first=True)


class BankAccountQuerySet(CallerScoped["BankAccount"]):
    missing = BankAccountNotFound

    def open(self) -> Self:
        """Return the accounts that money may be sent to."""
        return self.filter(closed_at=None, is_pending=False)

    def pending(self) -> Self:
        """Return the accounts that a merchant has requested and staff have not decided on."""
        return self.filter(closed_at=None, is_pending=True)

    def like(self, account: "BankAccount") -> Self:
        """Return the accounts of the same merchant, mode and currency."""
        return self.filter(
            merchant=account.merchant_id, livemode=account.livemode, currency=account.currency
        )

    def before(self, account: "BankAccount") -> "BankAccount | None":
        """Return the account that this one replaces: the open one, or else the last closed."""
        others = self.like(account).filter(is_pending=False).exclude(pk=account.pk)
        return others.order_by(_LAST_CLOSED, "-created_at", "-id").first()

    def not_closed(self) -> Self:
        """Return the accounts that are open or pending."""
        return self.filter(closed_at=None)


class BankAccount(SignedRow):
    """A merchant's bank account, per currency and mode. A change is a new account.

    `is_pending` means that staff have not approved it; if it is also closed, it was declined.

    `encrypted_number` is the account number, encrypted together with the id, so that it cannot be
    decrypted if copied to another row.
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
        """Store the account number encrypted, and its last four characters to show."""
        seal(self, "encrypted_number", f"{self.id} {number}")
        self.last_four = number[-4:]

    def decrypt_number(self) -> str:
        """Return the account number in clear. Only orders to the bank should need it."""
        return number_in(self.id, unseal(self, "encrypted_number"))


def number_in(owner: str, text: str) -> str:
    """Return an account number from the text encrypted with its row's id. Raises ValueError."""
    found, _, number = text.partition(" ")
    if found != owner:
        raise ValueError(f"The number in {owner} belongs to another row.")
    return number
