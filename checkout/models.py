"""The checkout's own tables: verification attempts, and merchants' logos, shown and wanted."""

from django.db import models
from django.db.models import F, Q

from core.ids import PublicIdField
from core.limits import MAX_URL
from merchants.models import Merchant


class VerificationAttempt(models.Model):
    """One attempt at a PIN or passkey for a payment. `error_code` is empty if it succeeded.

    For staff who help a customer; no decision depends on it.
    """

    payment_id = PublicIdField()
    method = models.CharField(max_length=8)
    error_code = models.CharField(max_length=40, default="", blank=True)
    actor = models.CharField(max_length=100)
    address = models.CharField(max_length=45)
    attempted_at = models.DateTimeField(db_column="tried_at")

    class Meta:
        # Names in the database stay, as the previous release reads them: see decision 0475.
        db_table = "checkout_verificationtry"
        indexes = (models.Index(fields=["payment_id", "attempted_at"], name="verification_tries"),)

    def __str__(self) -> str:
        return f"{self.method} on {self.payment_id}"


class Logo(models.Model):
    """A merchant's logo, read from its `logo_url` and re-encoded as a small PNG.

    `png` is empty if there is no usable image. `source_url` is the URL that was read. It is read
    again when the merchant changes the URL and, while the merchant is not verified, at `renew_at`.
    """

    merchant = models.OneToOneField(
        Merchant, on_delete=models.CASCADE, primary_key=True, related_name="logo"
    )
    source_url = models.CharField(max_length=MAX_URL)
    png = models.BinaryField(default=b"")
    digest = models.CharField(max_length=16, default="", blank=True)
    fault = models.CharField(max_length=255, default="", blank=True)
    read_at = models.DateTimeField()
    renew_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"logo of {self.merchant_id}"


class WantedLogo(models.Model):
    """The image at a logo URL that waits for approval: staff see it, and approve no other.

    Once they approve the URL, it becomes the merchant's logo, without being read again. The row is
    deleted then, or when the change is declined or withdrawn.
    """

    merchant = models.OneToOneField(
        Merchant, on_delete=models.CASCADE, primary_key=True, related_name="wanted_logo"
    )
    source_url = models.CharField(max_length=MAX_URL)
    png = models.BinaryField(default=b"")
    digest = models.CharField(max_length=16, default="", blank=True)
    fault = models.CharField(max_length=255, default="", blank=True)
    read_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"logo that {self.merchant_id} wants"


LOGO_IS_STALE = Q(logo=None) | ~Q(logo__source_url=F("logo_url"))
