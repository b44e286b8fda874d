"""Merchants and the keys they call with."""

from datetime import datetime
from typing import ClassVar, Self

from django.db import models
from django.db.models import Q

from core.ids import PublicIdField
from core.limits import MAX_EMAIL, MAX_NAME, MAX_TEXT, MAX_URL
from core.signatures import SignatureField, SignedRow
from merchants import categories
from merchants.access import EVERYTHING, MAX_SCOPES
from merchants.errors import (
    ApiKeyNotFound,
    MerchantChangeDecided,
    MerchantChangeNotFound,
    MerchantNotFound,
    MerchantStatusUnchanged,
)
from merchants.scoping import CallerScoped, Scope
from merchants.statuses import CHANGE_TRANSITIONS, TRANSITIONS, ChangeStatus, MerchantStatus

SLUG_CHARACTERS = 64
MAX_FEE_BASIS_POINTS = 10_000
DEFAULT_TIME_ZONE = "America/Nassau"


class PayoutSchedule(models.TextChoices):
    """How often a merchant's balance is paid out."""

    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    MANUAL = "manual"


class MerchantQuerySet(CallerScoped["Merchant"]):
    missing = MerchantNotFound

    def visible_to(self, caller: Scope) -> Self:
        """Keep the caller's own record, which serves both modes. No merchant, no row."""
        if caller.sees_every_merchant:
            return self
        return self.none() if caller.merchant_id is None else self.filter(pk=caller.merchant_id)

    def named(self, name: str) -> "Merchant":
        """Return the merchant of this id or slug. Raises MerchantNotFound."""
        merchant = self.filter(Q(pk=name) | Q(slug=name)).first()
        if merchant is None:
            raise self.missing()
        return merchant


class Merchant(SignedRow):
    """A business that is paid through the service. Texts that were not given are empty.

    `pending_changes` holds the new values that wait for staff, null if there are none.
    `…_screens_renewed` counts how often its counters' screens were given other URLs.
    """

    id = PublicIdField(primary_key=True)
    name = models.CharField(max_length=MAX_NAME)
    slug = models.CharField(max_length=SLUG_CHARACTERS, unique=True)
    category = models.CharField(max_length=64, default=categories.OTHER)
    email = models.CharField(max_length=MAX_EMAIL)
    phone = models.CharField(max_length=32, default="")
    description = models.CharField(max_length=MAX_TEXT, default="")
    website = models.CharField(max_length=MAX_URL, default="")
    logo_url = models.CharField(max_length=MAX_URL, default="")
    support_email = models.CharField(max_length=MAX_EMAIL, default="")
    address = models.CharField(max_length=MAX_TEXT, default="")
    business_type = models.CharField(max_length=64, default="")
    tax_id = models.CharField(max_length=64, default="")
    brand_color = models.CharField(max_length=7, default="")
    time_zone = models.CharField(max_length=64, default=DEFAULT_TIME_ZONE)
    payout_schedule = models.CharField(
        max_length=8, choices=PayoutSchedule, default=PayoutSchedule.WEEKLY
    )
    status = models.CharField(
        max_length=10, choices=MerchantStatus, default=MerchantStatus.UNVERIFIED
    )
    fee_basis_points = models.PositiveIntegerField(default=0)
    email_confirmed_at = models.DateTimeField(null=True)
    verified_at = models.DateTimeField(null=True)  # last known to be; stays if it is suspended
    pending_changes = models.JSONField(null=True)
    live_screens_renewed = models.PositiveIntegerField(default=0, db_default=0)
    test_screens_renewed = models.PositiveIntegerField(default=0, db_default=0)
    created_at = models.DateTimeField(db_index=True)
    updated_at = models.DateTimeField()
    signature = SignatureField("id", "status", "fee_basis_points", "created_at", in_log=True)

    objects: ClassVar[MerchantQuerySet] = MerchantQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=MerchantStatus.values), name="merchant_status_known"
            ),
            models.CheckConstraint(
                condition=Q(payout_schedule__in=PayoutSchedule.values),
                name="merchant_payout_schedule_known",
            ),
            models.CheckConstraint(
                condition=Q(fee_basis_points__range=(0, MAX_FEE_BASIS_POINTS)),
                name="merchant_fee_at_most_all",
            ),
            models.CheckConstraint(
                condition=~Q(name="") & ~Q(slug="") & ~Q(email=""), name="merchant_is_named"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.slug})"

    @property
    def category_code(self) -> str | None:
        """The ISO 18245 code of a known category."""
        return categories.category_code(self.category)

    def transition_to(self, status: MerchantStatus, *, now: datetime) -> None:
        """Change the status of this locked row.

        Raises MerchantStatusUnchanged for a move that is not in `TRANSITIONS`.
        """
        if status not in TRANSITIONS[MerchantStatus(self.status)]:
            raise MerchantStatusUnchanged(status=f"is {self.status}, and cannot become {status}")
        if MerchantStatus.VERIFIED in (self.status, status):
            self.verified_at = now
        self.status = status
        self.updated_at = now
        self.save(update_fields=["status", "verified_at", "updated_at"])


class MerchantChangeQuerySet(CallerScoped["MerchantChange"]):
    missing = MerchantChangeNotFound

    def visible_to(self, caller: Scope) -> Self:
        """Keep the caller's own changes: one record serves both modes. No merchant, no row."""
        if caller.sees_every_merchant:
            return self
        return (
            self.none() if caller.merchant_id is None else self.filter(merchant=caller.merchant_id)
        )

    def pending(self) -> Self:
        """Keep the changes that wait for staff."""
        return self.filter(status=ChangeStatus.PENDING)


class MerchantChange(models.Model):
    """A change of public fields that a verified merchant requests, and staff decide on.

    `before` and `after` have the same keys; `actor` is who requested it. At most one per merchant
    is pending: a newer one supersedes it.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="changes")
    before = models.JSONField()
    after = models.JSONField()
    actor = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=ChangeStatus, default=ChangeStatus.PENDING)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    objects: ClassVar[MerchantChangeQuerySet] = MerchantChangeQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(status__in=ChangeStatus.values), name="merchant_change_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status=ChangeStatus.PENDING, decided_at=None)
                | (~Q(status=ChangeStatus.PENDING) & Q(decided_at__isnull=False)),
                name="merchant_change_decided_at",
            ),
            models.UniqueConstraint(
                fields=["merchant"],
                condition=Q(status=ChangeStatus.PENDING),
                name="merchant_change_one_pending",
            ),
        )

    def __str__(self) -> str:
        return f"{self.id} of {self.merchant_id}"

    def transition_to(self, status: ChangeStatus, *, now: datetime) -> None:
        """Decide on this locked row. Raises MerchantChangeDecided."""
        if status not in CHANGE_TRANSITIONS[ChangeStatus(self.status)]:
            raise MerchantChangeDecided(status=f"is {self.status} already")
        self.status, self.decided_at = status, now
        self.save(update_fields=["status", "decided_at"])


class ApiKeyQuerySet(CallerScoped["ApiKey"]):
    missing = ApiKeyNotFound

    def active(self, now: datetime) -> Self:
        """Keep the keys that are valid at this instant."""
        return self.filter(revoked_at=None).filter(Q(expires_at=None) | Q(expires_at__gt=now))


class ApiKey(models.Model):
    """The API key of a merchant in one mode. Only the SHA-256 of the secret is stored.

    `scopes` are separated by spaces; `*` stands for everything. `last_used_at` is coarse: it trails
    the last request by up to an hour and some seconds. `created_by` is null where it was not
    recorded, and for keys of the registration; `replaces` is the key that was rolled for this one.
    """

    id = PublicIdField(primary_key=True)
    merchant = models.ForeignKey(Merchant, on_delete=models.PROTECT, related_name="api_keys")
    livemode = models.BooleanField()
    name = models.CharField(max_length=100)
    hash = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=8)
    last_four = models.CharField(max_length=4)
    scopes = models.CharField(max_length=MAX_SCOPES, default=EVERYTHING, db_default=EVERYTHING)
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=100, null=True)  # noqa: DJ001  # older rows have none
    replaces = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    last_used_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects: ClassVar[ApiKeyQuerySet] = ApiKeyQuerySet.as_manager()  # type: ignore[assignment]  # a manager with the same methods

    class Meta:
        constraints = (models.CheckConstraint(condition=~Q(scopes=""), name="api_key_has_scopes"),)

    def __str__(self) -> str:
        return f"{self.name} {self.hint}"

    @property
    def hint(self) -> str:
        """What may be shown of the key: `sk_test_…a1B2`."""
        return f"{self.prefix}…{self.last_four}"

    @property
    def actor(self) -> str:
        """The name under which it is recorded what this key did."""
        return f"key:{self.pk}"

    @property
    def scope_names(self) -> list[str]:
        """The scopes of the key, as a list."""
        return self.scopes.split()

    def is_active(self, now: datetime) -> bool:
        """Return whether the key is valid at this instant."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)

    def can_be_rolled(self, now: datetime) -> bool:
        """Return whether this key may be replaced: it is valid, and none has replaced it yet."""
        return self.is_active(now) and self.expires_at is None
