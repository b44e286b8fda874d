"""Removing a passkey: by its customer, or by staff who have identified the caller."""

from datetime import datetime

from django.db import transaction

from customers.errors import PasskeyNotFound
from customers.models import CustomerSession, Passkey, PasskeyQuerySet
from customers.passkeys import refuse_unproven
from customers.security_alerts import SecurityChange, plan_notice


def remove_passkey(*, session: CustomerSession, passkey_id: int, now: datetime) -> None:
    """Remove one of the customer's own passkeys.

    Raises PasskeyNotFound, ProofNeeded, RateLimited.
    """
    refuse_unproven(session, now)
    _remove(session.customer.passkeys.filter(pk=passkey_id), is_limited=True, now=now)


def revoke_passkey(*, passkey_id: int, now: datetime) -> None:
    """Remove any customer's passkey, for staff who have identified the caller.

    Raises PasskeyNotFound.
    """
    _remove(Passkey.objects.filter(pk=passkey_id), is_limited=False, now=now)


@transaction.atomic
def _remove(found: PasskeyQuerySet, *, is_limited: bool, now: datetime) -> None:
    passkey = found.select_related("customer").first()
    if passkey is None or not found.remove(now):
        raise PasskeyNotFound
    plan_notice(passkey.customer, SecurityChange.PASSKEY_REMOVED, is_limited=is_limited, now=now)
