"""Pay by passkey: an existing one, one created for the payment, or one that also signs in."""

from datetime import datetime

from checkout.browser_session import BrowserSession
from checkout.flow import fail_or_raise, has_passkey, proof_for
from checkout.verification_attempts import recorded_attempt
from customers.errors import VerificationFailed
from customers.magic_phones import is_protected
from customers.models import Customer, CustomerSession
from customers.passkeys import (
    finish_payment,
    finish_payment_signed_out,
    finish_registration,
)
from customers.sessions import SignedIn, start_session
from payments.errors import PaymentFailed
from payments.failures import NOT_VERIFIED
from payments.models import Payment
from payments.verification import Verification


def opens_passkey_dialog(
    payment: Payment, session: CustomerSession, *, device_customer_id: str, now: datetime
) -> bool:
    """Return whether pressing Pay opens the passkey dialog at once.

    It does if only a passkey will do, or if this device holds one, which is faster than a PIN.
    """
    needed = proof_for(payment, session.customer, now=now)
    if needed == Verification.PIN and device_customer_id != session.customer_id:
        return False
    return needed != Verification.NONE and has_passkey(session)


def approve_by_passkey(
    *, payment: Payment, browser: BrowserSession, credential: str, address: str, now: datetime
) -> None:
    """Verify the passkey's response, which is bound to this payment and amount.

    Raises VerificationFailed, PaymentFailed after too many failed attempts.
    """
    if browser.session is None:
        raise VerificationFailed
    try:
        with recorded_attempt(payment.id, Verification.PASSKEY, browser, address=address, now=now):
            finish_payment(
                session=browser.session,
                payment_id=payment.id,
                amount=payment.sale_amount,
                credential=credential,
                now=now,
            )
    except VerificationFailed as error:
        fail_or_raise(payment, NOT_VERIFIED, error, browser, now)
        raise PaymentFailed from error


def make_passkey_to_pay(
    *,
    payment: Payment,
    browser: BrowserSession,
    credential: str,
    name: str,
    address: str,
    now: datetime,
) -> None:
    """Store the passkey that was created for this payment and amount, in a single ceremony.

    Raises VerificationFailed, and as `finish_registration` does.
    """
    if browser.session is None:
        raise VerificationFailed
    with recorded_attempt(payment.id, Verification.PASSKEY, browser, address=address, now=now):
        finish_registration(
            session=browser.session,
            credential=credential,
            name=name,
            payment_id=payment.id,
            amount=payment.sale_amount,
            now=now,
        )


def sign_in_to_pay(
    *,
    payment: Payment,
    customer: Customer,
    credential: str,
    address: str,
    replaces: str,
    now: datetime,
    device: str,
) -> SignedIn:
    """Sign in a customer by the passkey that approves this payment, for this payment only.

    `replaces` is the token that the browser had. Raises VerificationFailed, PaymentFailed after too
    many failed attempts, CustomerFrozen.
    """
    visitor = BrowserSession()
    try:
        with recorded_attempt(payment.id, Verification.PASSKEY, visitor, address=address, now=now):
            passkey = finish_payment_signed_out(
                customer=customer,
                payment_id=payment.id,
                amount=payment.sale_amount,
                credential=credential,
                now=now,
            )
    except VerificationFailed as error:
        fail_or_raise(payment, NOT_VERIFIED, error, visitor, now)
        raise PaymentFailed from error
    customer.refuse_frozen()
    return start_session(
        customer=customer,
        now=now,
        replaces=replaces,
        payment_id=payment.id if is_protected(customer) else "",
        passkey_id=passkey.pk,
        device=device,
    )
