"""Customers who are signed in, and have a passkey."""

from datetime import datetime
from typing import Any

from customers.errors import ProofMethod
from customers.models import Customer, CustomerSession, Passkey
from customers.passkeys import (
    begin_payment,
    begin_registration,
    finish_payment,
    finish_registration,
)
from customers.sessions import remember_proof, start_session
from tests.customers.authenticator import VirtualAuthenticator

PAYMENT = "pay_0000000000000000000000000000000"
OTHER_PAYMENT = "pay_1111111111111111111111111111111"
AMOUNT = 12_500


def proven(customer: Customer, now: datetime) -> CustomerSession:
    """Sign the customer in, with code and PIN just shown."""
    session = start_session(customer=customer, now=now).session
    remember_proof(session, ProofMethod.PIN, now=now)
    return session


def enrol(session: CustomerSession, device: VirtualAuthenticator, now: datetime) -> Passkey:
    options = begin_registration(session=session, now=now)
    return finish_registration(session=session, credential=device.create(options), now=now)


def ask(
    session: CustomerSession, now: datetime, payment_id: str = PAYMENT, amount: int = AMOUNT
) -> dict[str, Any]:
    return begin_payment(session=session, payment_id=payment_id, amount=amount, now=now)


def answer(
    session: CustomerSession,
    credential: str,
    now: datetime,
    payment_id: str = PAYMENT,
    amount: int = AMOUNT,
) -> Passkey:
    return finish_payment(
        session=session, payment_id=payment_id, amount=amount, credential=credential, now=now
    )
