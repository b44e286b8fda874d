"""The lock of a PIN after wrong attempts: its state, and lifting it."""

from datetime import datetime, timedelta

from django.db import transaction

from customers.errors import PinDisabled, PinLocked
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import Customer

LOCK = timedelta(minutes=30)


def lock_of(customer: Customer, *, now: datetime) -> PinLocked | None:
    """Return the refusal that any PIN of this customer would meet now; None if it can be tried."""
    if customer.pin_is_disabled:
        return PinDisabled()
    if behaviour_of(customer) == Behaviour.PIN_LOCKED:
        return PinLocked(now + LOCK)
    return PinLocked(customer.pin_locked_until) if customer.is_pin_locked(now) else None


@transaction.atomic
def unlock_pin(*, customer_id: str, now: datetime) -> Customer:
    """Lift the lock after wrong attempts, for staff who have identified the caller.

    A disabled PIN stays disabled: the customer resets it by a code. Raises CustomerNotFound,
    PinDisabled.
    """
    customer = Customer.objects.locked(customer_id)
    if customer.pin_is_disabled:
        raise PinDisabled
    customer.pin_failures, customer.pin_locked_until, customer.updated_at = 0, None, now
    customer.save(update_fields=["pin_failures", "pin_locked_until", "updated_at"])
    return customer
