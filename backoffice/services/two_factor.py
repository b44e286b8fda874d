"""Codes as the second factor of staff: an authenticator app, and recovery codes if it is lost."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django_otp.models import Device
from django_otp.plugins.otp_static.models import StaticDevice

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.formats import counted
from backoffice.passwords import lock_account
from backoffice.services.staff_mail import record_change_of_factor
from backoffice.staff import Staff, account_of
from core.ids import random_base62

AUTHENTICATOR = "authenticator app"
RECOVERY = "recovery codes"
RECOVERY_CODES = 10
RECOVERY_CHARACTERS = 16
STORED_CHARACTERS = 16
# What the accounts that `create_staff --development` makes may enter, in development mode only.
DEVELOPMENT_CODE = "000000"


@dataclass(frozen=True)
class Enrolment:
    """An authenticator waiting for its first code; `address` is the content of the QR code."""

    secret: str
    address: str


def has_authenticator(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, confirmed=True).exists())


def second_factors(user: User) -> list[str]:
    """Return the names of the account's second factors."""
    passkeys = StaffPasskey.objects.filter(user=user).count()
    named = [counted(passkeys, "passkey")] if passkeys else []
    return [*named, AUTHENTICATOR] if has_authenticator(user) else named


@transaction.atomic
def begin_enrolment(user: User, *, anew: bool = True) -> Enrolment:
    """Return an authenticator that waits for its first code.

    It has a new key, except after a wrong code: someone who saw the key of an abandoned enrolment
    must not know the next one's.
    """
    if anew:
        Authenticator.objects.filter(user=user, confirmed=False).delete()
    device, _ = Authenticator.objects.get_or_create(user=user, confirmed=False, name=AUTHENTICATOR)
    secret = base64.b32encode(device.key).decode().rstrip("=")
    issuer = quote(settings.SERVICE_NAME, safe="")
    label = f"{issuer}:{quote(user.get_username())}"
    return Enrolment(secret, f"otpauth://totp/{label}?secret={secret}&issuer={issuer}")


@transaction.atomic
def finish_enrolment(user: User, code: str, now: datetime, *, staff: Staff) -> Authenticator | None:
    """Enable the authenticator if the code is right, in place of earlier ones; None if not.

    `staff` is its owner at work.
    """
    waiting = Authenticator.objects.select_for_update().filter(user=user, confirmed=False)
    device: Authenticator | None = waiting.first()
    if device is None or not device.accept(code, now):
        return None
    Authenticator.objects.filter(user=user, confirmed=True).delete()
    device.confirmed = True
    device.save(update_fields=["confirmed"])
    record_change_of_factor(staff=staff, act="set up two-factor")
    return device


@transaction.atomic
def new_recovery_codes(user: User) -> list[str]:
    """Replace the recovery codes. Only the return value contains them: hashes are stored.

    Raises PermissionDenied if the account was closed, or its access reset, in the meantime.
    """
    if not lock_account(user):
        raise PermissionDenied("The account has changed meanwhile.")
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name=RECOVERY)
    codes = [random_base62(RECOVERY_CHARACTERS).lower() for _ in range(RECOVERY_CODES)]
    for code in codes:
        device.token_set.create(token=_stored(code))
    return ["-".join(code[at : at + 4] for at in range(0, len(code), 4)) for code in codes]


@transaction.atomic
def renew_recovery_codes(user: User, *, staff: Staff) -> list[str]:
    """Replace the recovery codes at their owner's request, who is told. Raises PermissionDenied."""
    codes = new_recovery_codes(user)
    record_change_of_factor(staff=staff, act="new recovery codes")
    return codes


def recovery_codes_left(user: User) -> int:
    return int(StaticDevice.objects.filter(user=user, token_set__isnull=False).count())


@transaction.atomic
def check_code(user: User, code: str, now: datetime) -> Device | None:
    """Return the device that a code proves; a recovery code is spent by that.

    The devices are locked, so that concurrent guesses are counted one by one. None if the code is
    wrong, or if so many were wrong that none is accepted for a while.
    """
    text = "".join(code.split()).replace("-", "").lower()
    authenticator = (
        Authenticator.objects.select_for_update().filter(user=user, confirmed=True).first()
    )
    if authenticator is not None and (
        _is_development_code(user, text) or (text.isdecimal() and authenticator.accept(text, now))
    ):
        return authenticator
    if text.isdecimal():
        return None
    recovery = StaticDevice.objects.select_for_update().filter(user=user).first()
    if recovery is not None and recovery.verify_token(_stored(text)):
        return recovery
    return None


@transaction.atomic
def remove_second_factor(user: User) -> None:
    """Remove passkeys, authenticator and recovery codes; the next sign-in sets up new ones."""
    StaffPasskey.objects.filter(user=user).delete()
    Authenticator.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()


def _is_development_code(user: User, text: str) -> bool:
    """Only in development mode, and only for accounts that exist for it."""
    account = account_of(user) if settings.DEVELOPMENT_MODE else None
    return account is not None and account.development_only and text == DEVELOPMENT_CODE


def _stored(code: str) -> str:
    digest = hashlib.sha256(code.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()[:STORED_CHARACTERS]
