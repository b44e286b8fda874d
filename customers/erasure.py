"""Erase a person: what identifies a customer is deleted; the customer's id and money stay."""

import secrets
from datetime import datetime

from django.db import transaction

from core.models import Quota
from customers.account_changes import AccountChange, record_change
from customers.models import (
    ERASED_PREFIX,
    Customer,
    CustomerSession,
    Passkey,
    PasskeyChallenge,
    SignInCode,
)

_PHONE_DIGITS = 14  # with the prefix, as many as the column holds


@transaction.atomic
def erase_customer(*, customer_id: str, actor: str, cause: str, now: datetime) -> Customer:
    """Blank a customer's personal fields, and delete passkeys, sessions, codes and counters.

    The account stays frozen for good; a later holder of the phone starts afresh as another
    customer. Raises CustomerNotFound, CustomerErased.
    """
    customer = Customer.objects.locked(customer_id)
    customer.refuse_erased()
    SignInCode.objects.filter(phone=customer.phone, livemode=customer.livemode).delete()
    Quota.objects.filter(key__endswith=f":{customer.phone}").delete()
    PasskeyChallenge.objects.filter(customer=customer).delete()
    CustomerSession.objects.filter(customer=customer).delete()
    Passkey.objects.filter(customer=customer).delete()
    customer.phone = f"{ERASED_PREFIX}{secrets.randbelow(10**_PHONE_DIGITS):0{_PHONE_DIGITS}}"
    customer.name = customer.email = customer.language = customer.pin_hash = ""
    customer.pin_failures, customer.pin_locked_until, customer.pin_set_at = 0, None, None
    customer.frozen_at = customer.frozen_at or now
    customer.erased_at = customer.updated_at = now
    customer.save(force_update=True)
    record_change(customer.pk, AccountChange.ERASED, actor=actor, cause=cause, now=now)
    return customer
