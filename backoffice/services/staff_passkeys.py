"""Passkeys as the second factor of staff, which no look-alike page can phish.

The caller stores the challenge of a ceremony: it is used once, whatever the outcome. The WebAuthn
library is imported where it is used, because many processes never need its 7 MB.
"""

import logging
import secrets
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from backoffice.authenticators import StaffPasskey
from backoffice.errors import AccountNotEligible
from backoffice.passwords import lock_account
from backoffice.roles import Role
from backoffice.services.staff_mail import (
    record_change_of_factor,
    staff_url,
    tell_of_copied_passkey,
)
from backoffice.staff import Staff
from customers.errors import VerificationFailed

if TYPE_CHECKING:
    from customers.webauthn import CredentialResponse, KnownCredential, Options

logger = logging.getLogger(__name__)

MAX_STAFF_PASSKEYS = 20
# Those who move money, and those who let others in.
PASSKEY_ROLES = frozenset({Role.FINANCE, Role.ADMINISTRATOR})


def needs_passkey(roles: Iterable[Role]) -> bool:
    """Return whether staff with these roles can sign in with a passkey only."""
    return bool(settings.REQUIRE_STAFF_PASSKEYS) and not PASSKEY_ROLES.isdisjoint(roles)


def has_passkey(user: User) -> bool:
    return bool(StaffPasskey.objects.filter(user=user).exists())


def begin_new_passkey(user: User, *, challenge: bytes) -> "Options":
    """Return the browser's options to create a passkey. Raises AccountNotEligible for too many."""
    from customers import webauthn

    known = _known_of(user)
    if len(known) >= MAX_STAFF_PASSKEYS:
        raise AccountNotEligible("There are too many passkeys: remove one first.")
    return webauthn.registration_options(
        site=staff_url(""),
        challenge=challenge,
        user_handle=_handle(user),
        user_name=user.get_username(),
        known=known,
    )


def add_passkey(
    user: User, *, staff: Staff, credential: str, challenge: bytes, name: str, now: datetime
) -> StaffPasskey:
    """Store the passkey that the browser has created; `staff` is its owner at work.

    Raises VerificationFailed, also if the account was closed or reset in the meantime: only its
    owner may add the next one.
    """
    from customers import webauthn

    response = webauthn.read_registration(credential)
    _refuse_other(response, challenge)
    made = webauthn.verify_registration(response, site=staff_url(""))
    passkey: StaffPasskey
    with transaction.atomic():
        if not lock_account(user):
            raise VerificationFailed
        passkey, is_new = StaffPasskey.objects.get_or_create(
            credential_id=made.credential_id,
            defaults=asdict(made)
            | {"user": user, "name": _free_name(user, name), "created_at": now},
        )
        if not is_new:
            raise VerificationFailed
        record_change_of_factor(staff=staff, act="add passkey of staff")
    return passkey


def begin_passkey_sign_in(user: User, *, challenge: bytes) -> "Options":
    """Return the browser's options to sign with a passkey of the account."""
    from customers import webauthn

    return webauthn.authentication_options(
        site=staff_url(""), challenge=challenge, known=_known_of(user)
    )


def check_passkey(user: User, *, credential: str, challenge: bytes, now: datetime) -> StaffPasskey:
    """Return the passkey that a signature proves. Raises VerificationFailed."""
    from customers import webauthn

    response = webauthn.read_assertion(credential)
    _refuse_other(response, challenge)
    if response.user_handle not in (None, b"", _handle(user)):
        raise VerificationFailed
    found = StaffPasskey.objects.filter(user=user, credential_id=response.credential_id)
    passkey: StaffPasskey | None = found.first()
    if passkey is None:
        raise VerificationFailed
    count = webauthn.verify_assertion(response, bytes(passkey.public_key), site=staff_url(""))
    if webauthn.sign_count_regressed(passkey.sign_count, count):
        logger.warning("passkey %s of staff seems to be copied: its count fell", passkey.pk)
        tell_of_copied_passkey(user, passkey.pk, now=now)
        raise VerificationFailed
    # Conditional on the count that was read, so of two answers with one count one is refused.
    if not found.filter(sign_count=passkey.sign_count).update(sign_count=count, last_used_at=now):
        raise VerificationFailed
    return passkey


@transaction.atomic
def remove_passkey(user: User, *, staff: Staff, passkey_id: int) -> str:
    """Remove one of one's own passkeys; return its name. Raises AccountNotEligible for the last."""
    own = StaffPasskey.objects.select_for_update().filter(user=user)
    names: dict[int, str] = dict(own.values_list("pk", "name"))
    if passkey_id not in names or len(names) == 1:
        raise AccountNotEligible("The last passkey stays: add another one first.")
    own.filter(pk=passkey_id).delete()
    record_change_of_factor(staff=staff, act="remove passkey of staff")
    return names[passkey_id]


def _free_name(user: User, name: str) -> str:
    """Return a name that none of the account's passkeys has, such as "Linux 2"."""
    taken = set(StaffPasskey.objects.filter(user=user).values_list("name", flat=True))
    free, number = name, 2
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free


def _refuse_other(response: "CredentialResponse", challenge: bytes) -> None:
    if not challenge or not secrets.compare_digest(response.challenge, challenge):
        raise VerificationFailed


def _handle(user: User) -> bytes:
    return f"staff:{user.pk}".encode()


def _known_of(user: User) -> "list[KnownCredential]":
    from customers import webauthn

    passkeys = StaffPasskey.objects.filter(user=user).order_by("-pk")
    return [
        webauthn.KnownCredential(passkey.credential_id, passkey.transports) for passkey in passkeys
    ]
