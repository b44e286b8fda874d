"""What one press of Pay does: one lock on the payment, one transaction, whatever the outcome.

Locks are taken in the order link, ticket, payment, customer, ledger account.
"""

from datetime import datetime

from django.db import transaction

from customers.models import Customer
from ledger.errors import InsufficientBalance
from payments.errors import DescriptionChanged, PaymentDeclined
from payments.models import Payment
from payments.paying import lock_payable, pay_locked
from payments.statuses import PaymentStatus
from payments.verification import Verification


def pay_or_return(
    *,
    payment_id: str,
    customer: Customer,
    verified: Verification,
    actor: str,
    now: datetime,
    agreed: str | None = None,
    session_id: int | None = None,
) -> Payment:
    """Start and pay a payment, if its description is still `agreed`, the one the customer read.

    And if `session_id`, the session that pays, has not ended: otherwise raises VerificationFailed.

    If the balance is too low, or the payment is declined, commits a return to the review, where the
    customer may pay another way, then raises InsufficientBalance or PaymentDeclined. Otherwise
    raises DescriptionChanged, or as `pay` does, with nothing changed.
    """
    with transaction.atomic():
        payment = lock_payable(payment_id, now)
        if agreed not in (None, payment.agreed_description):
            raise DescriptionChanged
        _start(payment, actor, now)
        try:
            with transaction.atomic():
                done = pay_locked(
                    payment,
                    customer=customer,
                    verified=verified,
                    actor=actor,
                    now=now,
                    session_id=session_id,
                )
                if done.status == PaymentStatus.FAILED:
                    raise PaymentDeclined
                return done
        except (InsufficientBalance, PaymentDeclined) as error:
            refusal = error
        payment.refresh_from_db()
        if payment.status == PaymentStatus.REQUIRES_ACTION:
            payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor, cause=refusal.code)
    raise refusal


def _start(payment: Payment, actor: str, now: datetime) -> None:
    if payment.status == PaymentStatus.CREATED:
        payment.transition_to(PaymentStatus.PENDING, now=now, actor=actor)
