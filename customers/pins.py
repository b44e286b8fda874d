"""The PIN of a customer: setting it, checking it, and what happens after wrong ones.

A try is counted and committed before it is checked, so that many guesses at once are no more
than the counter lets through. Nothing here runs inside a transaction of the caller's: a hash
takes long, and a count must not be undone.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Case, DateTimeField, F, Q, Value, When

from core import attempt_limits
from core.client_address import network_of
from core.errors import ApiError, Conflict, RateLimited
from customers.codes import check_code
from customers.errors import InvalidPin, PinAlreadySet, PinDisabled, PinLocked, PinNotSet
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import (
    PIN_TRIES_UNTIL_DISABLED,
    CodePurpose,
    Customer,
    CustomerSession,
    SecurityChange,
)
from customers.pin_hashing import Hasher, hashing
from customers.pin_rules import TEST_PIN, refuse_malformed, refuse_unfit
from customers.security_alerts import plan_notice

TRIES_UNTIL_LOCKED = 5
LOCK = timedelta(minutes=30)
WRONG_PER_ADDRESS = attempt_limits.Limit("wrong-pin-address", 20, timedelta(hours=1))
WRONG_IN_ALL = attempt_limits.Limit("wrong-pin", 10_000, timedelta(hours=1))
EVERYWHERE = "everywhere"


@dataclass(frozen=True)
class PinResult:
    """Proof that a customer's PIN was right at this instant."""

    customer_id: str
    verified_at: datetime


def check_pin(*, customer_id: str, pin: str, address: str, now: datetime) -> PinResult:
    """Check a PIN that was entered at this address of the network.

    Five wrong ones in a row lock the PIN for 30 minutes, ten switch it off until it is reset.
    An unknown customer is a wrong PIN, and takes as long.
    Raises InvalidPin, PinLocked (also for the try that locks it), PinDisabled, PinNotSet,
    ValidationFailed for what can be no PIN, RateLimited for too many wrong ones from one address.
    """
    refuse_malformed(pin)
    customer = Customer.objects.filter(pk=customer_id).first()
    limited = customer is None or customer.livemode
    if limited:
        attempt_limits.refuse_used_up(WRONG_IN_ALL, EVERYWHERE, now=now)
        attempt_limits.take(WRONG_PER_ADDRESS, network_of(address), now=now)
    refusal: ApiError | None = None
    try:
        refusal = _try_pin(customer, pin, now)
    finally:
        if limited:
            _settle_limits(address, was_wrong=refusal is not None, now=now)
    if refusal is not None:
        raise refusal
    return PinResult(customer_id, now)


def set_pin(*, customer_id: str, pin: str, now: datetime, session_id: int | None = None) -> None:
    """Give a customer who has none their first PIN. Their sessions end, but for `session_id`.

    Raises PinAlreadySet, CustomerNotFound, and ValidationFailed for an obvious PIN.
    """
    customer = _look_up(customer_id)
    refuse_unfit(pin, phone=customer.phone)
    if customer.has_pin:
        raise PinAlreadySet
    replace_pin(customer, pin, now=now, session_id=session_id)


def change_pin(
    *,
    customer_id: str,
    pin: str,
    new_pin: str,
    address: str,
    now: datetime,
    session_id: int | None = None,
) -> None:
    """Replace a PIN by whoever knows it. The customer's sessions end, but for `session_id`.

    Raises what `check_pin` raises, and ValidationFailed for an obvious new PIN.
    """
    refuse_unfit(new_pin, phone=_look_up(customer_id).phone)
    check_pin(customer_id=customer_id, pin=pin, address=address, now=now)
    replace_pin(_look_up(customer_id), new_pin, now=now, session_id=session_id)


def reset_pin(
    *,
    customer_id: str,
    handle: str,
    code: str,
    new_pin: str,
    now: datetime,
    session_id: int | None = None,
) -> None:
    """Replace a forgotten PIN by whoever holds the phone; also one that is locked or off.

    The customer's sessions end, but for `session_id`. Raises InvalidCode, CodeExpired,
    CustomerNotFound, and ValidationFailed for an obvious PIN.
    """
    customer = _look_up(customer_id)
    refuse_unfit(new_pin, phone=customer.phone)
    check_code(handle=handle, code=code, purpose=CodePurpose.RESET_PIN, now=now, customer=customer)
    replace_pin(customer, new_pin, now=now, session_id=session_id)


def replace_pin(
    customer: Customer, pin: str, *, now: datetime, session_id: int | None = None
) -> None:
    """Store a PIN that passed the rules, and forget wrong tries; end the other sessions.

    Only for whoever has just proved to be the customer. Raises Conflict where another request
    has replaced the PIN since `customer` was read.
    """
    with hashing() as hasher:
        pin_hash = hasher.hash(pin)
    with transaction.atomic(durable=True):
        replaced = Customer.objects.filter(pk=customer.pk, pin_hash=customer.pin_hash).update(
            pin_hash=pin_hash, pin_failures=0, pin_locked_until=None, pin_set_at=now, updated_at=now
        )
        if not replaced:
            raise Conflict
        if customer.pin_hash:
            plan_notice(customer, SecurityChange.PIN_CHANGED, now=now)
        CustomerSession.objects.end_others(customer.pk, session_id, now=now)


@transaction.atomic
def unlock_pin(*, customer_id: str, now: datetime) -> Customer:
    """Lift the lock after wrong tries, for staff who have made sure who is calling.

    A PIN that was switched off stays so: its owner resets it by a code.
    Raises CustomerNotFound, PinDisabled.
    """
    customer = Customer.objects.locked(customer_id)
    if customer.pin_is_disabled:
        raise PinDisabled
    customer.pin_failures, customer.pin_locked_until, customer.updated_at = 0, None, now
    customer.save(update_fields=["pin_failures", "pin_locked_until", "updated_at"])
    return customer


@transaction.atomic(durable=True)
def _look_up(customer_id: str) -> Customer:
    return Customer.objects.one(customer_id)


def _try_pin(customer: Customer | None, pin: str, now: datetime) -> ApiError | None:
    """Count a try, then check it. Returns how it is refused; raises where nothing was checked."""
    with hashing() as hasher:
        if customer is None:
            hasher.matches("", pin)
            return InvalidPin(TRIES_UNTIL_LOCKED - 1)
        counted = _count_try(customer.pk, now)
        if _is_right(hasher, counted, pin, now) and _forget_tries(counted, now):
            return None
    return _wrong(counted, now)


@transaction.atomic(durable=True)
def _count_try(customer_id: str, now: datetime) -> Customer:
    """Count a try against the PIN before it is checked; the fifth one locks at once."""
    may_try = Q(pin_failures__lt=PIN_TRIES_UNTIL_DISABLED) & (
        Q(pin_locked_until=None) | Q(pin_locked_until__lte=now)
    )
    counted = Customer.objects.filter(may_try, pk=customer_id).update(
        pin_failures=F("pin_failures") + 1,
        pin_locked_until=Case(
            When(pin_failures=TRIES_UNTIL_LOCKED - 1, then=Value(now + LOCK)),
            output_field=DateTimeField(),
        ),
        updated_at=now,
    )
    customer = Customer.objects.one(customer_id)
    if not customer.has_pin:
        raise PinNotSet
    if behaviour_of(customer) == Behaviour.PIN_LOCKED:
        raise PinLocked(now + LOCK)
    if not counted:
        raise _locked(customer)
    return customer


def _is_right(hasher: Hasher, customer: Customer, pin: str, now: datetime) -> bool:
    if not customer.pin_hash:
        _give_documented_pin(hasher, customer, now)
    is_right = hasher.matches(customer.pin_hash, pin)
    return is_right and behaviour_of(customer) != Behaviour.WRONG_PIN


def _give_documented_pin(hasher: Hasher, customer: Customer, now: datetime) -> None:
    """Give a test customer the PIN that the documentation promises."""
    pin_hash = hasher.hash(TEST_PIN)
    Customer.objects.filter(pk=customer.pk, pin_hash="").update(pin_hash=pin_hash, pin_set_at=now)
    customer.refresh_from_db(fields=["pin_hash"])


def _forget_tries(customer: Customer, now: datetime) -> bool:
    """Start counting afresh. Says no where the PIN that was right has been replaced meanwhile."""
    unchanged = Customer.objects.filter(pk=customer.pk, pin_hash=customer.pin_hash)
    return bool(unchanged.update(pin_failures=0, pin_locked_until=None, updated_at=now))


def _wrong(customer: Customer, now: datetime) -> ApiError:
    if customer.pin_is_disabled:
        return PinDisabled()
    if customer.pin_failures == TRIES_UNTIL_LOCKED:
        if behaviour_of(customer) == Behaviour.WRONG_PIN:
            _forget_tries(customer, now)  # this phone is everybody's: the next payment may try
        return PinLocked(customer.pin_locked_until)
    was_locked_before = customer.pin_failures > TRIES_UNTIL_LOCKED
    limit = PIN_TRIES_UNTIL_DISABLED if was_locked_before else TRIES_UNTIL_LOCKED
    return InvalidPin(limit - customer.pin_failures)


def _locked(customer: Customer) -> PinLocked:
    return PinDisabled() if customer.pin_is_disabled else PinLocked(customer.pin_locked_until)


def _settle_limits(address: str, *, was_wrong: bool, now: datetime) -> None:
    if not was_wrong:
        attempt_limits.give_back(WRONG_PER_ADDRESS, network_of(address))
        return
    with suppress(RateLimited):
        attempt_limits.take(WRONG_IN_ALL, EVERYWHERE, now=now)
