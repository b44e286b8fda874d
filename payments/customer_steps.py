"""What a customer can do to a payment other than pay it. One service per business fact."""

from datetime import datetime

from django.db import transaction

from merchants.callers import VISITOR
from payments.models import Payment
from payments.paying import refuse_unless_payable
from payments.reporting import move_and_report
from payments.statuses import PAYABLE, PaymentStatus


@transaction.atomic
def start_payment(*, payment_id: str, actor: str, now: datetime) -> Payment:
    """Record that a customer has signed in to pay. Idempotent while the payment is payable.

    Raises PaymentNotFound, or the error of the current status if it can no longer be paid.
    """
    payment = _lock_sale(payment_id, now)
    status = payment.status_at(now)
    if status == PaymentStatus.CREATED:
        payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor)
    elif status not in PAYABLE:
        raise payment.refusal(now)
    return payment


@transaction.atomic
def ask_for_proof(*, payment_id: str, actor: str, now: datetime) -> Payment:
    """Start the payment and require a PIN or passkey. Idempotent. Raises the error of its status.

    Refuses a counter: no one can pay the counter itself, and only its merchant may close it.
    """
    payment = Payment.objects.locked(payment_id)
    refuse_unless_payable(payment, now)
    if payment.status != PaymentStatus.REQUIRES_ACTION:
        is_new = payment.status == PaymentStatus.CREATED
        path = (PaymentStatus.PENDING,) if is_new else ()
        payment.transition_to(*path, PaymentStatus.REQUIRES_ACTION, now=now, actor=actor)
    return payment


@transaction.atomic
def return_to_review(*, payment_id: str, actor: str, now: datetime, cause: str = "") -> Payment:
    """Return to the review step for another attempt. Raises the error of the current status."""
    payment = _lock_sale(payment_id, now)
    if payment.status_at(now) == PaymentStatus.REQUIRES_ACTION:
        payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor, cause=cause)
    elif payment.status_at(now) != PaymentStatus.PENDING:
        raise payment.refusal(now)
    return payment


@transaction.atomic
def cancel_by_customer(*, payment_id: str, actor: str, now: datetime) -> Payment:
    """Cancel at the checkout. A payment that waits for a PIN returns to the review first.

    Anyone who has the URL may cancel; only a signed-in customer is recorded as the actor.
    """
    payment = _lock_sale(payment_id, now)
    if payment.status_at(now) == PaymentStatus.REQUIRES_ACTION:
        payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor, cause="canceling")
    cause = "at its page, not signed in" if actor == VISITOR else "by the customer"
    move_and_report(payment, PaymentStatus.CANCELED, now=now, actor=actor, cause=cause)
    return payment


def _lock_sale(payment_id: str, now: datetime) -> Payment:
    """Lock a payment for its customer. Refuses a counter, which only its merchant may close."""
    payment = Payment.objects.locked(payment_id)
    if payment.is_counter:
        raise payment.refusal(now)
    return payment
