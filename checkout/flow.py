"""The customer's steps from Pay to paid. The server alone decides the next step."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import Enum

from checkout.browser_session import BrowserSession
from checkout.verification_attempts import recorded_attempt
from core import attempt_limits
from core.errors import ApiError, RateLimited
from customers.errors import InvalidPin, PinLocked, ProofMethod, VerificationFailed
from customers.models import Customer, CustomerSession
from customers.pins import check_pin
from customers.sessions import proof_needed, set_first_pin
from funding.continuing import store_verification
from ledger.errors import InsufficientBalance
from ledger.models import Purpose
from ledger.services import balances
from payments.customer_steps import ask_for_proof, start_payment
from payments.errors import PaymentDeclined
from payments.failures import DECLINED, PIN_LOCKED, Failure
from payments.models import Payment
from payments.paying import fail_payment, pay
from payments.risk import refuse_above_new_proof_limit, required_for_customer
from payments.verification import Verification

# Across all methods and customers: the fifteenth fails the payment, which stays open until then.
FAILED_ATTEMPTS = attempt_limits.AttemptLimit("payment-failed", 14, timedelta(hours=24))


class CheckoutStep(Enum):
    """A step that is still required before a payment can be paid; the values are URL names."""

    SIGN_IN = "checkout-phone"
    PAY = "checkout"
    FRESH_CODE = "checkout-fresh-code"
    NEW_PIN = "checkout-new-pin"
    PIN = "checkout-pin"
    PIN_FOR_PASSKEY = "checkout-passkey-pin"
    NEW_PASSKEY = "checkout-passkey-new"
    PASSKEY = "checkout-passkey"


def next_step(payment: Payment, session: CustomerSession | None, *, now: datetime) -> CheckoutStep:
    """Return this customer's next step towards paying this payment."""
    return next(open_steps(payment, session, now=now))


def open_steps(
    payment: Payment, session: CustomerSession | None, *, now: datetime
) -> Iterator[CheckoutStep]:
    """Yield the steps that this customer may take now; the first is the default.

    A passkey can replace a PIN, never the reverse; a new one can also replace a first PIN. A
    customer with a passkey but no PIN is asked for the passkey, which setting a first PIN would
    require too. Lazy: later steps are only looked up when iterated.
    """
    if session is None:
        yield CheckoutStep.SIGN_IN
        return
    needed = proof_for(payment, session.customer, now=now)
    if needed == Verification.NONE:
        yield CheckoutStep.PAY
        return
    if by_pin := needed == Verification.PIN and session.customer.has_pin:
        yield CheckoutStep.PIN
    if is_known := has_passkey(session):
        yield CheckoutStep.PASSKEY
    if not by_pin:
        yield from _steps_to_proof(needed, session, is_known=is_known, now=now)


def _steps_to_proof(
    needed: Verification, session: CustomerSession, *, is_known: bool, now: datetime
) -> Iterator[CheckoutStep]:
    """Yield the steps to a first PIN, if `set_first_pin` would accept one, or to a passkey."""
    adding = step_to_passkey(session, now=now)
    if needed == Verification.PIN and not is_known:
        is_code = adding == CheckoutStep.FRESH_CODE
        yield CheckoutStep.FRESH_CODE if is_code else CheckoutStep.NEW_PIN
    if needed == Verification.PASSKEY or adding == CheckoutStep.NEW_PASSKEY:
        yield adding


def proof_for(payment: Payment, customer: Customer, *, now: datetime) -> Verification:
    """Return the verification this customer needs, by the amount and by earlier payments.

    The paying transaction decides again.
    """
    return required_for_customer(customer, payment.sale_amount, now=now)


def step_to_passkey(session: CustomerSession, *, now: datetime) -> CheckoutStep:
    """Return this customer's next step towards adding a passkey."""
    proof = proof_needed(session, now=now)
    if proof is None:
        return CheckoutStep.NEW_PASSKEY
    steps = {
        ProofMethod.CODE: CheckoutStep.FRESH_CODE,
        ProofMethod.PIN: CheckoutStep.PIN_FOR_PASSKEY,
        ProofMethod.PASSKEY: CheckoutStep.PASSKEY,
    }
    return steps[proof]


def has_passkey(session: CustomerSession) -> bool:
    return session.customer.passkeys.usable().exists()


def continue_after_sign_in(*, payment: Payment, browser: BrowserSession, now: datetime) -> Payment:
    """Continue after signing in: Pay was pressed before, so ask for the PIN or passkey at once.

    A small amount is not paid by signing in: that takes another press of Pay. Raises as
    `submit_payment` does.
    """
    if proof_for(payment, _signed_in(browser), now=now) == Verification.NONE:
        return start_payment(payment_id=payment.id, actor=browser.actor, now=now)
    return submit_payment(payment=payment, browser=browser, now=now)


def submit_payment(
    *, payment: Payment, browser: BrowserSession, now: datetime, ahead: bool = False
) -> Payment:
    """Start the payment, and pay it if it needs no verification; return it in its new state.

    With `ahead`, a customer whose money is still on its way is verified now. Raises
    InsufficientBalance, PaymentDeclined, CustomerFrozen, NewProofLimitReached, or the error of the
    payment's current status.
    """
    customer = _signed_in(browser)
    if proof_for(payment, customer, now=now) == Verification.NONE:
        return pay_verified(payment, browser, Verification.NONE, now)
    refuse_above_new_proof_limit(customer, payment.sale_amount, now=now)
    if not ahead and missing_amount(payment, customer):
        start_payment(payment_id=payment.id, actor=browser.actor, now=now)
        raise InsufficientBalance
    return ask_for_proof(payment_id=payment.id, actor=browser.actor, now=now)


def pay_with_first_pin(
    *, payment: Payment, browser: BrowserSession, pin: str, now: datetime
) -> Payment:
    """Set a customer's first PIN, and pay with it if a PIN suffices.

    Returns the payment in its new state. Raises as `set_first_pin` and `pay_with_pin` do.
    """
    if browser.session is None:
        raise VerificationFailed
    set_first_pin(session=browser.session, pin=pin, now=now)
    customer = Customer.objects.one(browser.session.customer_id)
    if proof_for(payment, customer, now=now) != Verification.PIN:
        return payment
    return pay_verified(payment, browser, Verification.PIN, now)


def pay_with_pin(
    *, payment: Payment, browser: BrowserSession, pin: str, address: str, now: datetime
) -> Payment:
    """Check the PIN and pay; return the payment in its new state.

    A wrong PIN leaves the payment open, even one that locks the PIN; too many failed attempts at
    this payment fail it. Raises InvalidPin, PinLocked, InsufficientBalance, PaymentDeclined, and
    the errors of the payment's status.
    """
    customer = _signed_in(browser)
    try:
        with recorded_attempt(payment.id, Verification.PIN, browser, address=address, now=now):
            check_pin(customer_id=customer.id, pin=pin, address=address, now=now)
    except (InvalidPin, PinLocked) as error:
        if isinstance(error, PinLocked) and not error.was_checked:
            raise
        return fail_or_raise(payment, PIN_LOCKED, error, browser, now)
    return pay_verified(payment, browser, Verification.PIN, now)


def balance_of_customer(customer: Customer, currency: str) -> int:
    """Return the wallet's balance, in the smallest unit, without creating the account."""
    held = balances(owner=customer.id, purpose=Purpose.WALLET, livemode=customer.livemode)
    return held.get(currency, 0)


def missing_amount(payment: Payment, customer: Customer) -> int:
    """Return how much the wallet lacks for this payment; 0 if nothing."""
    held = balance_of_customer(customer, payment.currency)
    return max(0, payment.sale_amount - held)


def pay_verified(
    payment: Payment, browser: BrowserSession, verified: Verification, now: datetime
) -> Payment:
    """Pay with this verification; if money is missing, store it for when more has arrived.

    A decline counts as a failed attempt.
    """
    try:
        return pay(
            payment_id=payment.id,
            customer=_signed_in(browser),
            verified=verified,
            actor=browser.actor,
            now=now,
            agreed=payment.agreed_description,
            session_id=browser.session.pk if browser.session else None,
        )
    except InsufficientBalance:
        if browser.session is not None:
            store_verification(payment=payment, session=browser.session, verified=verified, now=now)
        raise
    except PaymentDeclined as error:
        return fail_or_raise(payment, DECLINED, error, browser, now)


def fail_or_raise(
    payment: Payment, failure: Failure, error: ApiError, browser: BrowserSession, now: datetime
) -> Payment:
    """Count a failed attempt and raise its error; above the limit, fail the payment instead."""
    try:
        attempt_limits.count_attempt(FAILED_ATTEMPTS, payment.id, now=now)
    except RateLimited:
        ask_for_proof(payment_id=payment.id, actor=browser.actor, now=now)
        return fail_payment(payment_id=payment.id, failure=failure, actor=browser.actor, now=now)
    raise error


def _signed_in(browser: BrowserSession) -> Customer:
    if browser.customer is None:
        raise PermissionError("no customer is signed in")
    return browser.customer
