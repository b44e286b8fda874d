"""A customer: a phone number, with their PIN, passkeys and sessions; in test mode per merchant."""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Lower

from core.ids import PublicIdField
from core.signatures import SignatureField, SignedRow
from customers.account_changes import CustomerChange as CustomerChange
from customers.challenge_rows import ChallengePurpose as ChallengePurpose
from customers.challenge_rows import PasskeyChallenge as PasskeyChallenge
from customers.errors import CustomerErased, CustomerFrozen, CustomerNotFound
from customers.phones import masked
from customers.tokens import handle_of
from merchants.scoping import CallerScoped

PIN_ATTEMPTS_UNTIL_DISABLED = 10
SESSION_IDLE = timedelta(minutes=30)
ERASED_PREFIX = "+0"  # no country's: replaces the number of an erased customer
FRESH = timedelta(minutes=10)  # how long a proof lets a customer change PIN and passkeys


class CustomerQuerySet(CallerScoped["Customer"]):
    missing = CustomerNotFound

    def live_by_phone(self, phone: str) -> "Customer":
        """Return the live customer of this E.164 number. Raises CustomerNotFound."""
        customer = self.filter(phone=phone, livemode=True).first()
        if customer is None:
            raise self.missing()
        return customer

    def with_email(self, email: str) -> Self:
        """Keep the customers with this e-mail address, ignoring case, in either mode."""
        known = self.exclude(email="").annotate(address=Lower("email"))  # as its index has it
        return known.filter(address=email.lower())


class Customer(SignedRow):
    """A payer. The wallet is the ledger account that this id owns.

    A live customer pays any merchant. A test customer belongs to one `merchant`: those who test for
    another one never meet it, whatever phone they choose. One without a merchant was shared by
    several before each had its own: it stands for the payments it made, and no one signs in to it.

    `pin_failures` counts wrong PINs in a row: see `customers.pins`. `pin_hash` is empty until a PIN
    is set; a test customer then has the documented one. `pin_pepper` is the id of its pepper, ""
    for a hash from before ids were kept.

    What was paid, in cents, is counted for `payments.risk`: since the last proof, by PIN in the
    last 24 hours (`paid_by_pin`: `seconds:cents`, oldest first), and since `proof_changed_at`, when
    the PIN was last set by the phone alone or a passkey added.
    """

    id = PublicIdField(primary_key=True)
    phone = models.CharField(max_length=16)
    livemode = models.BooleanField()
    merchant = models.ForeignKey(  # never looked up without the phone
        "merchants.Merchant", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    name = models.CharField(max_length=100, default="", blank=True)
    email = models.CharField(max_length=254, default="", blank=True)
    language = models.CharField(max_length=8, default="", blank=True)
    pin_hash = models.CharField(max_length=128, default="", blank=True, editable=False)
    pin_pepper = models.CharField(
        max_length=16, default="", db_default="", blank=True, editable=False
    )
    pin_failures = models.PositiveSmallIntegerField(default=0)
    pin_locked_until = models.DateTimeField(null=True, blank=True)
    pin_set_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)
    unproven_payments = models.PositiveIntegerField(default=0, editable=False)
    unproven_amount = models.BigIntegerField(default=0, editable=False)
    paid_by_pin = models.TextField(default="", db_default="", blank=True, editable=False)
    proof_changed_at = models.DateTimeField(null=True, editable=False)
    new_proof_amount = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(db_index=True)
    updated_at = models.DateTimeField()
    signature = SignatureField("id", "phone", "livemode", "frozen_at", "created_at", in_log=True)

    objects: ClassVar[CustomerQuerySet] = CustomerQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["phone"], condition=Q(livemode=True), name="live_customer_once"
            ),
            models.UniqueConstraint(
                fields=["phone", "livemode", "merchant"], name="test_customer_once"
            ),
            models.CheckConstraint(
                condition=Q(livemode=False) | Q(merchant=None), name="customer_live_has_no_merchant"
            ),
            models.CheckConstraint(
                condition=Q(phone__startswith="+"), name="customer_phone_is_e164"
            ),
            models.CheckConstraint(
                condition=Q(pin_failures__lte=PIN_ATTEMPTS_UNTIL_DISABLED),
                name="customer_pin_tries_bounded",
            ),
            models.CheckConstraint(
                condition=Q(erased_at=None)
                | Q(
                    phone__gte=ERASED_PREFIX,
                    phone__lt="+1",
                    name="",
                    email="",
                    language="",
                    pin_hash="",
                    frozen_at__isnull=False,
                ),
                name="customer_erased_is_nameless",
            ),
        )

    def __str__(self) -> str:
        return self.masked_phone

    @property
    def masked_phone(self) -> str:
        """The phone as it may be shown: +1 242 ••• 0100."""
        return masked(self.phone) if self.erased_at is None else "•••"

    def is_pin_locked(self, now: datetime) -> bool:
        """Return whether the PIN is locked for a while after wrong attempts."""
        return self.pin_locked_until is not None and self.pin_locked_until > now

    def may_pay(self, merchant_id: str | None) -> bool:
        """Return whether this customer may pay a merchant: a test customer its own only."""
        return self.livemode or (merchant_id is not None and merchant_id == self.merchant_id)

    @property
    def has_pin(self) -> bool:
        """Whether the customer has a PIN. Test customers always have one."""
        return bool(self.pin_hash) or not self.livemode

    @property
    def pin_is_disabled(self) -> bool:
        """Whether only a reset by code can bring the PIN back."""
        return self.pin_failures >= PIN_ATTEMPTS_UNTIL_DISABLED

    def refuse_frozen(self) -> None:
        """Raise CustomerFrozen if the customer was stopped from signing in and paying."""
        if self.frozen_at is not None:
            raise CustomerFrozen

    def refuse_erased(self) -> None:
        """Raise CustomerErased if the person's data has been erased."""
        if self.erased_at is not None:
            raise CustomerErased


class CodePurpose(models.TextChoices):
    """What a one-time code may be used for."""

    SIGN_IN = "sign_in"
    RESET_PIN = "reset_pin"
    ADD_PASSKEY = "add_passkey"
    CASH = "cash"


class SignInCode(models.Model):
    """A one-time code that was sent to a phone, stored as a hash: see `customers.codes`.

    `payment_id` is that of the payment that its text names, if any.
    """

    handle_hash = models.CharField(max_length=64, unique=True)
    phone = models.CharField(max_length=16)
    livemode = models.BooleanField()
    purpose = models.CharField(max_length=16, choices=CodePurpose)
    code_hash = models.CharField(max_length=64)
    attempts = models.PositiveSmallIntegerField(default=0, db_column="tries")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)
    payment_id = PublicIdField(default="")

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(purpose__in=CodePurpose.values), name="sign_in_code_purpose_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.purpose} {masked(self.phone)}"


class CustomerSessionQuerySet(models.QuerySet["CustomerSession"]):
    def open(self, now: datetime) -> Self:
        """Keep those that have not ended, gone idle or expired."""
        return self.alive(now=now, idle_since=now - SESSION_IDLE)

    def alive(self, *, now: datetime | Value, idle_since: datetime | Value) -> Self:
        """Keep the same, by instants that a prepared statement is given later."""
        return self.filter(ended_at=None, expires_at__gt=now, last_seen_at__gt=idle_since)

    def end_others(self, customer_id: str, session_id: int | None, *, now: datetime) -> None:
        """End the sessions of a customer, except one."""
        others = self.filter(customer_id=customer_id, ended_at=None)
        if session_id is not None:
            others = others.exclude(pk=session_id)
        others.update(ended_at=now)


class CustomerSession(models.Model):
    """A customer who is signed in on one device. Only the SHA-256 of its token is stored.

    `…_verified_at` is when the customer was last verified that way in this session. `last_seen_at`
    is coarse, so that not every request writes. A session with a `payment_id` was opened by a code
    for that payment, and is good for nothing else. `device` is the kind that its browser named.
    """

    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="sessions")
    livemode = models.BooleanField()
    token_hash = models.CharField(max_length=64, unique=True)
    code_verified_at = models.DateTimeField(null=True)
    pin_verified_at = models.DateTimeField(null=True)
    passkey_verified_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    ended_at = models.DateTimeField(null=True)
    payment_id = PublicIdField(default="")
    device = models.CharField(max_length=20, default="", db_default="")

    objects: ClassVar[CustomerSessionQuerySet] = CustomerSessionQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    def __str__(self) -> str:
        return f"session {self.pk}"

    @property
    def handle(self) -> str:
        """What the customer's own page calls it."""
        return handle_of(self.token_hash)

    @property
    def has_code_for_payment_only(self) -> bool:
        """Whether its only code was for a payment: the text spoke of no PIN and no passkey."""
        return self.payment_id != "" and self.code_verified_at == self.created_at

    def is_good_for(self, payment_id: str, merchant_id: str | None) -> bool:
        """Return whether it may be used for a payment; `""` is the customer's own page.

        In test mode, only for its customer's merchant; the page may name none.
        """
        is_theirs = self.customer.may_pay(merchant_id or self.customer.merchant_id)
        return is_theirs and self.payment_id in ("", payment_id)


class PasskeyQuerySet(models.QuerySet["Passkey"]):
    def usable(self) -> Self:
        """Keep those that were not removed."""
        return self.filter(removed_at=None)

    def remove(self, now: datetime) -> int:
        """Remove these for good; return how many there were left to remove."""
        return self.usable().update(removed_at=now)


class Passkey(models.Model):
    """A public key whose private half a customer's device holds. `credential_id` is base64url.

    `copied_at` is when its sign count last failed to rise, which suggests a cloned key.
    """

    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="passkeys")
    credential_id = models.CharField(max_length=1400, unique=True)
    public_key = models.BinaryField()
    sign_count = models.BigIntegerField()
    transports = models.JSONField(default=list)
    aaguid = models.CharField(max_length=36)
    is_synced = models.BooleanField()
    name = models.CharField(max_length=100, default="", blank=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    copied_at = models.DateTimeField(null=True, blank=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[PasskeyQuerySet] = PasskeyQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    def __str__(self) -> str:
        return self.name or f"passkey {self.pk}"

    @property
    def handle(self) -> str:
        """What the customer's own page calls it."""
        return handle_of(self.credential_id)
