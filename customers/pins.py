"""The PIN of a customer: setting it, checking it, and what happens after wrong ones.

An attempt is counted and committed before it is checked, so that concurrent guesses cannot exceed
the limit. Nothing here runs inside the caller's transaction: a hash takes long, and a count must
not be rolled back.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Case, DateTimeField, Exists, F, Q, QuerySet, Value, When

from core.errors import ApiError, Conflict
from customers.codes import check_code
from customers.errors import (
    InvalidPin,
    PinAlreadySet,
    PinDisabled,
    PinLocked,
    PinNotSet,
    ProofMethod,
    ProofNeeded,
)
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import (
    FRESH,
    PIN_ATTEMPTS_UNTIL_DISABLED,
    CodePurpose,
    Customer,
    CustomerSession,
    Passkey,
)
from customers.new_proofs import note_new_proof
from customers.pin_hashing import Hasher, hashing_slot, newest_pepper, refuse_missing_pepper
from customers.pin_locks import LOCK
from customers.pin_rules import TEST_PIN, refuse_malformed, refuse_unfit
from customers.security_alerts import SecurityChange, plan_notice
from customers.wrong_pins import (
    count_at_address,
    count_wrong,
    refuse_too_many_wrong,
    uncount_at_address,
)

ATTEMPTS_UNTIL_LOCKED = 5


def check_pin(*, customer_id: str, pin: str, address: str, now: datetime) -> None:
    """Check a PIN that was entered from this network address.

    Five wrong ones in a row lock the PIN for 30 minutes, ten disable it until it is reset. An
    unknown customer counts as a wrong PIN, and takes as long. Raises InvalidPin, PinLocked (also
    for the attempt that locks it), PinDisabled, PinNotSet, ValidationFailed for a malformed PIN,
    RateLimited for wrong ones of too many customers from one address, or too many of one customer,
    even with right ones in between: someone who knows a PIN could otherwise use up all attempts.
    """
    refuse_malformed(pin)
    customer = Customer.objects.filter(pk=customer_id).first()
    limited = customer is None or customer.livemode
    if limited:
        refuse_too_many_wrong(customer_id, now)
    is_counted = limited and count_at_address(customer_id, address, now)
    refusal: ApiError | None = None
    try:
        refusal = _attempt_pin(customer, pin, now)
    finally:
        if refusal is None and is_counted:
            uncount_at_address(customer_id, address)
    if refusal is not None and limited:
        count_wrong(customer_id, now)
    if refusal is not None:
        raise refusal


def set_pin(*, customer_id: str, pin: str, now: datetime, session_id: int | None = None) -> None:
    """Set a customer's first PIN. Their sessions end, except `session_id`.

    Unless that is the session that created the customer, the PIN is a new proof. If there is a
    passkey, that session must have shown it just now. Raises PinAlreadySet, ProofNeeded,
    CustomerNotFound, as `replace_pin`, and ValidationFailed for an obvious PIN.
    """
    customer = _look_up(customer_id)
    refuse_unfit(pin, phone=customer.phone)
    if customer.has_pin:
        raise PinAlreadySet
    if _has_passkey(customer) and not _has_shown_passkey(session_id, now):
        raise ProofNeeded(ProofMethod.PASSKEY)
    is_new_proof = _is_new_proof(customer, session_id)
    replace_pin(customer, pin, now=now, session_id=session_id, is_new_proof=is_new_proof)


def change_pin(
    *,
    customer_id: str,
    pin: str,
    new_pin: str,
    address: str,
    now: datetime,
    session_id: int | None = None,
) -> None:
    """Replace a known PIN. The customer's sessions end, except `session_id`.

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
    """Replace a forgotten, locked or disabled PIN, by a code sent to the phone.

    The customer's sessions end, except `session_id`. If there is a passkey, that session must have
    shown it just now. Raises ProofNeeded, InvalidCode, CodeExpired, CustomerNotFound, and
    ValidationFailed for an obvious PIN.
    """
    customer = _look_up(customer_id)
    refuse_unfit(new_pin, phone=customer.phone)
    if _has_passkey(customer) and not _has_shown_passkey(session_id, now):
        raise ProofNeeded(ProofMethod.PASSKEY)
    check_code(handle=handle, code=code, purpose=CodePurpose.RESET_PIN, now=now, customer=customer)
    is_new_proof = _is_new_proof(customer, session_id)
    replace_pin(customer, new_pin, now=now, session_id=session_id, is_new_proof=is_new_proof)


def needs_passkey_to_reset(session: CustomerSession, *, now: datetime) -> bool:
    """Return whether the customer must show a passkey before the PIN can be reset by a code.

    Not in test mode, where a merchant's testers share phones.
    """
    return _has_passkey(session.customer) and not _has_shown_passkey(session.pk, now)


def replace_pin(
    customer: Customer,
    pin: str,
    *,
    now: datetime,
    session_id: int | None = None,
    is_new_proof: bool = False,
) -> None:
    """Store a PIN that passed the rules, reset its failures, and end the other sessions.

    `is_new_proof`: it was set on the strength of the phone, and may pay little at first. Only for a
    customer who has just been verified, and not if there is a passkey by now that `session_id` has
    not shown. Changes by code are limited already, all others here. Raises CustomerFrozen,
    RateLimited, and Conflict if another request has replaced the PIN since `customer` was read, has
    ended `session_id` by replacing it before, or has added that passkey.
    """
    with hashing_slot() as hasher:
        stored = hasher.columns(pin)
    with transaction.atomic():
        Customer.objects.locked(customer.pk).refuse_frozen()
        if session_id is not None and not _is_open(session_id):
            raise Conflict
        unchanged = Customer.objects.filter(pk=customer.pk, pin_hash=customer.pin_hash)
        if is_new_proof and customer.livemode:
            passkeys = Passkey.objects.usable().filter(customer=customer.pk)
            unchanged = unchanged.filter(~Exists(passkeys) | Exists(_having_shown(session_id, now)))
        replaced = unchanged.update(
            **stored, pin_failures=0, pin_locked_until=None, pin_set_at=now, updated_at=now
        )
        if not replaced:
            raise Conflict
        if is_new_proof:
            note_new_proof(customer.pk, now=now)
        change = SecurityChange.PIN_CHANGED if customer.pin_hash else SecurityChange.PIN_SET
        plan_notice(customer, change, is_limited=not is_new_proof, now=now)
        CustomerSession.objects.end_others(customer.pk, session_id, now=now)


def _is_open(session_id: int) -> bool:
    return CustomerSession.objects.filter(pk=session_id, ended_at=None).exists()


def _is_new_proof(customer: Customer, session_id: int | None) -> bool:
    """Return whether a PIN that the phone alone allows is a new proof.

    All are, except the first one in the session that created the customer: someone who signs in
    later to a customer without a PIN may have taken over the number.
    """
    if customer.pin_hash or session_id is None:
        return True
    came_with = CustomerSession.objects.filter(
        pk=session_id, customer=customer, created_at=customer.created_at
    )
    return not came_with.exists()


def _has_passkey(customer: Customer) -> bool:
    return customer.livemode and customer.passkeys.usable().exists()


def _has_shown_passkey(session_id: int | None, now: datetime) -> bool:
    return session_id is not None and _having_shown(session_id, now).exists()


def _having_shown(session_id: int | None, now: datetime) -> QuerySet[CustomerSession]:
    """Return the session, if it has shown a passkey just now."""
    shown = CustomerSession.objects.filter(passkey_verified_at__gt=now - FRESH)
    return shown.filter(pk=session_id or 0)


@transaction.atomic(durable=True)
def _look_up(customer_id: str) -> Customer:
    return Customer.objects.one(customer_id)


def _attempt_pin(customer: Customer | None, pin: str, now: datetime) -> ApiError | None:
    """Count an attempt, then check it. Returns its refusal; raises if nothing was checked."""
    with hashing_slot() as hasher:
        if customer is None:
            hasher.matches("", pin, newest_pepper())
            return InvalidPin(ATTEMPTS_UNTIL_LOCKED - 1)
        refuse_missing_pepper(customer.pin_hash, customer.pin_pepper)
        counted = _count_attempt(customer.pk, now)
        if _is_right(hasher, counted, pin, now):
            renewed = hasher.renewed(pin, counted.pin_pepper)
            if _reset_failures(counted, now, **renewed):
                return None
    return _wrong(counted, now)


@transaction.atomic(durable=True)
def _count_attempt(customer_id: str, now: datetime) -> Customer:
    """Count an attempt before the PIN is checked; the fifth one locks it at once."""
    may_attempt = Q(pin_failures__lt=PIN_ATTEMPTS_UNTIL_DISABLED) & (
        Q(pin_locked_until=None) | Q(pin_locked_until__lte=now)
    )
    counted = Customer.objects.filter(may_attempt, pk=customer_id).update(
        pin_failures=F("pin_failures") + 1,
        pin_locked_until=Case(
            When(pin_failures=ATTEMPTS_UNTIL_LOCKED - 1, then=Value(now + LOCK)),
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
        raise PinDisabled if customer.pin_is_disabled else PinLocked(customer.pin_locked_until)
    return customer


def _is_right(hasher: Hasher, customer: Customer, pin: str, now: datetime) -> bool:
    if not customer.pin_hash:
        _give_documented_pin(hasher, customer, now)
    is_right = hasher.matches(customer.pin_hash, pin, customer.pin_pepper)
    return is_right and behaviour_of(customer) != Behaviour.WRONG_PIN


def _give_documented_pin(hasher: Hasher, customer: Customer, now: datetime) -> None:
    """Give a test customer the PIN that the documentation promises."""
    documented = hasher.columns(TEST_PIN)
    Customer.objects.filter(pk=customer.pk, pin_hash="").update(**documented, pin_set_at=now)
    customer.refresh_from_db(fields=["pin_hash", "pin_pepper"])


def _reset_failures(customer: Customer, now: datetime, **renewed: str) -> bool:
    """Reset the counter; return False if the PIN has been replaced meanwhile."""
    unchanged = Customer.objects.filter(pk=customer.pk, pin_hash=customer.pin_hash)
    changes = renewed | {"pin_failures": 0, "pin_locked_until": None, "updated_at": now}
    return bool(unchanged.update(**changes))


def _wrong(customer: Customer, now: datetime) -> ApiError:
    if customer.pin_is_disabled:
        return PinDisabled(was_checked=True)
    if customer.pin_failures == ATTEMPTS_UNTIL_LOCKED:
        if behaviour_of(customer) == Behaviour.WRONG_PIN:
            _reset_failures(customer, now)  # this phone is shared: the next payment starts afresh
        return PinLocked(customer.pin_locked_until, was_checked=True)
    was_locked_before = customer.pin_failures > ATTEMPTS_UNTIL_LOCKED
    limit = PIN_ATTEMPTS_UNTIL_DISABLED if was_locked_before else ATTEMPTS_UNTIL_LOCKED
    return InvalidPin(limit - customer.pin_failures)
