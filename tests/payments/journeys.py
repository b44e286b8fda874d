"""Bring a payment into any status the way it gets there in life."""

from datetime import timedelta

from core.clock import utc_now
from customers.models import Customer
from customers.services import test_customer
from merchants.models import Merchant
from payments.customer_steps import ask_for_proof, start_payment
from payments.expiry import expire_payment
from payments.failures import PIN_LOCKED
from payments.models import Payment
from payments.paying import fail_payment, pay
from payments.statuses import PaymentStatus
from payments.verification import Verification

ACTOR = "customer:test"
SLOW_PHONE = "+12425550104"


def payer(merchant: Merchant, phone: str | None = None) -> Customer:
    return test_customer(phone, utc_now(), merchant_id=merchant.id)


def bring_to(payment: Payment, status: PaymentStatus) -> Payment:
    """Move a created payment to `status`, as a customer and the clock would."""
    payment_id, at = payment.id, utc_now()
    if status in _AFTER_SIGN_IN:
        start_payment(payment_id=payment_id, actor=ACTOR, now=at)
    if status in (PaymentStatus.REQUIRES_ACTION, PaymentStatus.FAILED):
        ask_for_proof(payment_id=payment_id, actor=ACTOR, now=at)
    if status == PaymentStatus.FAILED:
        fail_payment(
            payment_id=payment_id,
            failure=PIN_LOCKED,
            actor=ACTOR,
            now=at,
        )
    if status in (PaymentStatus.PROCESSING, PaymentStatus.COMPLETED):
        slow = status == PaymentStatus.PROCESSING
        pay_with(payment_id, payer(payment.merchant, SLOW_PHONE if slow else None))
    if status == PaymentStatus.EXPIRED:
        expire_payment(payment_id=payment_id, now=at + timedelta(hours=25))
    if status == PaymentStatus.CANCELED:
        payment.transition_to(status, now=at, actor=ACTOR)
    payment.refresh_from_db()
    assert payment.status == status
    return payment


def pay_with(payment_id: str, customer: Customer) -> Payment:
    """Pay as the pages do, verified by a passkey."""
    return pay(
        payment_id=payment_id,
        customer=customer,
        verified=Verification.PASSKEY,
        actor=ACTOR,
        now=utc_now(),
    )


_AFTER_SIGN_IN = (
    PaymentStatus.PENDING,
    PaymentStatus.REQUIRES_ACTION,
    PaymentStatus.PROCESSING,
    PaymentStatus.COMPLETED,
    PaymentStatus.FAILED,
)
