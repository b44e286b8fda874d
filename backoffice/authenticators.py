"""The second factors of staff: authenticator apps, with their keys encrypted, and passkeys."""

import secrets
from datetime import datetime
from typing import Any

from django.db import models
from django_otp.models import Device, ThrottlingMixin
from django_otp.oath import TOTP

from core.sealed import SealedCharField, bound, seal, unseal

KEY_BYTES = 20
# How many steps of 30 seconds the clock of a phone may be off, beyond what is known of it.
TOLERANCE = 1


def new_sealed_key() -> str:
    """Return an empty key: it is generated on saving, because it is bound to the account."""
    return ""


class Authenticator(ThrottlingMixin, Device):  # type: ignore[misc]  # django-otp has no types
    """Six digits that change every 30 seconds (RFC 6238). Each code counts once."""

    sealed_key = bound(SealedCharField(max_length=255, default=new_sealed_key), "user_id")
    drift = models.SmallIntegerField(default=0)
    last_t = models.BigIntegerField(default=-1)

    @property
    def key(self) -> bytes:
        return bytes.fromhex(unseal(self, "sealed_key"))

    def save(self, **options: Any) -> None:
        """Save; a new authenticator gets a random key."""
        if not self.sealed_key:
            seal(self, "sealed_key", secrets.token_hex(KEY_BYTES))
        super().save(**options)

    def accept(self, code: str, now: datetime) -> bool:
        """Return whether this is the current code, and unused. The row must be locked.

        After wrong codes, none is accepted for a while: one second, two, four, and so on.
        """
        allowed, _ = self.verify_is_allowed()
        if not allowed:
            return False
        totp = TOTP(self.key, drift=self.drift)
        totp.time = now.timestamp()
        if not (code.isdecimal() and totp.verify(int(code), TOLERANCE, self.last_t + 1)):
            self.throttle_increment()
            return False
        self.last_t, self.drift = totp.t(), totp.drift
        self.throttle_reset(commit=False)
        self.save()
        return True

    def get_throttle_factor(self) -> int:
        """The delay after the first wrong code, in seconds."""
        return 1


class StaffPasskey(Device):  # type: ignore[misc]  # django-otp has no types
    """The public key of a passkey on a device of staff. `credential_id` is base64url."""

    credential_id = models.CharField(max_length=1400, unique=True)
    public_key = models.BinaryField()
    sign_count = models.BigIntegerField()
    transports = models.JSONField(default=list)
    aaguid = models.CharField(max_length=36)
    is_synced = models.BooleanField()
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
