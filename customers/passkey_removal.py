"""Removing a passkey: by its customer, or by staff who have identified the caller.

Someone who holds the lost device may be signed in on it: sessions end, as with a changed PIN.
"""

from datetime import datetime

from django.db import transaction

from customers.errors import PasskeyNotFound
from customers.models import Customer, CustomerSession, Passkey, PasskeyQuerySet
from customers.passkeys import refuse_unproven
from customers.security_alerts import SecurityChange, plan_notice
from customers.sessions import lock_customer_of


@transaction.atomic
def remove_passkey(*, session: CustomerSession, passkey_id: int, now: datetime) -> None:
    """Remove one of the customer's own passkeys; their sessions end, except this one.

    Raises PasskeyNotFound, ProofNeeded, CustomerFrozen, RateLimited, and VerificationFailed if this
    session has ended meanwhile.
    """
    customer = lock_customer_of(session)
    refuse_unproven(session, now)
    _remove(customer, customer.passkeys.filter(pk=passkey_id), is_limited=True, now=now)
    CustomerSession.objects.end_others(customer.pk, session.pk, now=now)


@transaction.atomic
def revoke_passkey(*, passkey_id: int, now: datetime) -> None:
    """Remove any customer's passkey, for staff who have identified the caller; all sessions end.

    Raises PasskeyNotFound.
    """
    found = Passkey.objects.filter(pk=passkey_id)
    customer_id = found.values_list("customer_id", flat=True).first()
    if customer_id is None:
        raise PasskeyNotFound
    customer = Customer.objects.locked(customer_id)
    _remove(customer, found, is_limited=False, now=now)
    CustomerSession.objects.end_others(customer.pk, None, now=now)


def _remove(customer: Customer, found: PasskeyQuerySet, *, is_limited: bool, now: datetime) -> None:
    if not found.remove(now):
        raise PasskeyNotFound
    plan_notice(customer, SecurityChange.PASSKEY_REMOVED, is_limited=is_limited, now=now)
