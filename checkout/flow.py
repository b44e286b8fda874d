"""The way of a customer from Pay to paid. The server alone decides what the next step is."""

from datetime import datetime, timedelta
from enum import Enum

from checkout.browser_session import Visitor
from checkout.verification_attempts import noted_try
from core import attempt_limits
from core.errors import RateLimited
from customers.errors import PinLocked, Proof, VerificationFailed
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import Customer, CustomerSession
from customers.passkeys import finish_payment, proof_needed
from customers.pins import check_pin
from ledger.errors import InsufficientBalance
from ledger.models import Purpose
from ledger.services import balances
from payments.failures import NOT_VERIFIED, PIN_LOCKED
from payments.models import Payment
from payments.paying import fail_payment, pay, require_action, step_back, take_up
from payments.verification import Verification, required_for

PASSKEY_FAILURES = attempt_limits.Limit("passkey-payment", 5, timedelta(hours=24))


class Step(Enum):
    """What is still missing before a payment can be paid; the values name the addresses."""

    SIGN_IN = "checkout-phone"
    PAY = "checkout"
    FRESH_CODE = "checkout-fresh-code"
    NEW_PIN = "checkout-new-pin"
    PIN = "checkout-pin"
    PIN_FOR_PASSKEY = "checkout-passkey-pin"
    NEW_PASSKEY = "checkout-passkey-new"
    PASSKEY = "checkout-passkey"


def next_step(payment: Payment, session: CustomerSession | None, *, now: datetime) -> Step:
    """Return what this customer has to do next to pay this payment."""
    if session is None:
        return Step.SIGN_IN
    needed = required_for(payment.amount or 0)
    if needed == Verification.NONE:
        return Step.PAY
    if needed == Verification.PIN:
        return Step.PIN if session.customer.has_pin else _step_to_pin(session, now)
    return Step.PASSKEY if has_passkey(session) else step_to_passkey(session, now=now)


def open_steps(payment: Payment, session: CustomerSession | None, *, now: datetime) -> set[Step]:
    """Return every step that this customer may take now; the next one is among them.

    A passkey may stand in for a PIN, never the reverse.
    """
    steps = {next_step(payment, session, now=now)}
    needed = required_for(payment.amount or 0)
    if session is not None and needed != Verification.NONE and has_passkey(session):
        steps.add(Step.PASSKEY)
    if session is not None and needed == Verification.PASSKEY:
        steps.add(step_to_passkey(session, now=now))
    return steps


def step_to_passkey(session: CustomerSession, *, now: datetime) -> Step:
    """Return what is to be proved before this customer may add a passkey."""
    proof = proof_needed(session, now=now)
    if proof is None:
        return Step.NEW_PASSKEY
    if proof == Proof.PIN and not session.customer.has_pin:
        return Step.NEW_PIN
    steps = {
        Proof.CODE: Step.FRESH_CODE,
        Proof.PIN: Step.PIN_FOR_PASSKEY,
        Proof.PASSKEY: Step.PASSKEY,
    }
    return steps[proof]


def has_passkey(session: CustomerSession) -> bool:
    return session.customer.passkeys.usable().exists()


def arrive(*, payment_id: str, visitor: Visitor, now: datetime) -> None:
    """Go on after signing in: they have pressed Pay before, so ask for the PIN or passkey at once.

    A small sum is not paid by signing in: that takes one more press. Raises as press_pay does.
    """
    payment = take_up(payment_id=payment_id, actor=visitor.actor, now=now)
    if required_for(payment.amount or 0) != Verification.NONE:
        press_pay(payment_id=payment_id, visitor=visitor, now=now)


def press_pay(*, payment_id: str, visitor: Visitor, now: datetime) -> None:
    """Take the payment up, and pay it where the amount asks for nothing more.

    Raises InsufficientBalance, CustomerFrozen, or the error of the payment's present status.
    """
    customer = _signed_in(visitor)
    payment = take_up(payment_id=payment_id, actor=visitor.actor, now=now)
    if missing_amount(payment, customer):
        raise InsufficientBalance
    if required_for(payment.amount or 0) == Verification.NONE:
        complete(payment_id, visitor, Verification.NONE, now=now)
    else:
        require_action(payment_id=payment_id, actor=visitor.actor, now=now)


def pay_with_pin(
    *, payment_id: str, visitor: Visitor, pin: str, address: str, now: datetime
) -> None:
    """Check the PIN and pay. The wrong one that locks the PIN fails the payment.

    Raises InvalidPin, PinLocked where it was locked before, InsufficientBalance, and the errors of
    the payment's status.
    """
    customer = _signed_in(visitor)
    was_locked = _is_locked(customer, now)
    try:
        with noted_try(payment_id, Verification.PIN, visitor, address=address, now=now):
            check_pin(customer_id=customer.id, pin=pin, address=address, now=now)
    except PinLocked:
        if was_locked:
            raise
        fail_payment(
            payment_id=payment_id,
            failure=PIN_LOCKED,
            actor=visitor.actor,
            now=now,
        )
        return
    complete(payment_id, visitor, Verification.PIN, now=now)


def pay_with_passkey(
    *, payment: Payment, visitor: Visitor, credential: str, address: str, now: datetime
) -> None:
    """Verify the passkey's answer, which is bound to this payment and amount, and pay.

    Too many wrong answers fail the payment. Raises VerificationFailed and what `complete` raises.
    """
    if visitor.session is None:
        raise VerificationFailed
    try:
        with noted_try(payment.id, Verification.PASSKEY, visitor, address=address, now=now):
            finish_payment(
                session=visitor.session,
                payment_id=payment.id,
                amount=payment.amount or 0,
                credential=credential,
                now=now,
            )
    except VerificationFailed:
        if _fails_too_often(payment.id, visitor, now):
            return
        raise
    complete(payment.id, visitor, Verification.PASSKEY, now=now)


def complete(payment_id: str, visitor: Visitor, verified: Verification, *, now: datetime) -> None:
    """Pay with what was proved. With too little money the payment stays payable.

    Raises InsufficientBalance, CustomerFrozen, VerificationFailed, the errors of its status.
    """
    customer = _signed_in(visitor)
    try:
        pay(
            payment_id=payment_id,
            customer=customer,
            verified=verified,
            actor=visitor.actor,
            now=now,
        )
    except InsufficientBalance:
        step_back(
            payment_id=payment_id, actor=visitor.actor, now=now, cause=InsufficientBalance.code
        )
        raise


def balance_of_customer(customer: Customer, currency: str) -> int:
    """Return what is in the customer's wallet, in the smallest unit, without opening one."""
    held = balances(owner=customer.id, purpose=Purpose.WALLET, livemode=customer.livemode)
    return held.get(currency, 0)


def missing_amount(payment: Payment, customer: Customer) -> int:
    """Return how much too little is in the wallet for this payment; 0 where it is enough."""
    held = balance_of_customer(customer, payment.currency)
    return max(0, (payment.amount or 0) - held)


def _step_to_pin(session: CustomerSession, now: datetime) -> Step:
    """A first PIN needs a fresh code: a browser left open must not be enough."""
    return Step.FRESH_CODE if proof_needed(session, now=now) == Proof.CODE else Step.NEW_PIN


def _fails_too_often(payment_id: str, visitor: Visitor, now: datetime) -> bool:
    """Count a wrong answer; the one that is too many fails the payment."""
    try:
        attempt_limits.take(PASSKEY_FAILURES, payment_id, now=now)
    except RateLimited:
        fail_payment(
            payment_id=payment_id,
            failure=NOT_VERIFIED,
            actor=visitor.actor,
            now=now,
        )
        return True
    return False


def _is_locked(customer: Customer, now: datetime) -> bool:
    locked = customer.pin_locked_until is not None and customer.pin_locked_until > now
    return locked or customer.pin_is_disabled or behaviour_of(customer) == Behaviour.PIN_LOCKED


def _signed_in(visitor: Visitor) -> Customer:
    if visitor.customer is None:
        raise PermissionError("nobody is signed in")
    return visitor.customer
