"""Replace payments that ended unpaid: customers ask for a new one, merchants create it."""

from datetime import datetime

from django.db import transaction

from core.errors import ValidationFailed
from merchants.callers import Caller
from payments import events
from payments.errors import PaymentNotFound
from payments.models import Payment, Replacement
from payments.reporting import move_and_report
from payments.statuses import REPLACEABLE, PaymentStatus
from webhooks.event_types import EventType
from webhooks.outbox import emit


@transaction.atomic
def request_replacement(*, payment_id: str, now: datetime) -> Replacement:
    """Tell the merchant, once, that the customer asks for a new payment. Idempotent.

    Raises PaymentNotFound, or the error of the current status if it can be or was paid.
    """
    payment = Payment.objects.locked(payment_id)
    if not is_replaceable(payment, now=now):
        raise payment.refusal(now)
    if payment.status not in REPLACEABLE:  # overdue, and the sweep has not expired it yet
        move_and_report(payment, PaymentStatus.EXPIRED, now=now, actor="system:payments.expire")
    asked, is_new = Replacement.objects.get_or_create(
        payment=payment, defaults={"requested_at": now}
    )
    if is_new:
        data = events.payment_replacement_requested(payment, requested_at=now)
        emit(EventType.PAYMENT_REPLACEMENT_REQUESTED, about=payment, data=data, now=now)
    return asked


def replace_payment(*, caller: Caller, payment_id: str, by: Payment, now: datetime) -> None:
    """Record, in the caller's transaction, that `by` replaces an earlier payment.

    Raises PaymentNotFound, and ValidationFailed if it can be paid, was paid or was replaced.
    """
    payment = Payment.objects.locked_of(caller, payment_id)
    if not is_replaceable(payment, now=now):
        raise ValidationFailed(replaces="must be a payment that failed, expired or was canceled")
    noted, _ = Replacement.objects.get_or_create(payment=payment)
    if noted.replaced_by_id is not None:
        raise ValidationFailed(replaces=f"was replaced by {noted.replaced_by_id}")
    noted.replaced_by = by
    noted.save(update_fields=["replaced_by"])


def is_replaceable(payment: Payment, *, now: datetime) -> bool:
    """Return whether a payment has ended unpaid. A closed counter cannot be replaced."""
    return payment.status_at(now) in REPLACEABLE and not payment.is_counter


def replacement_of(payment_id: str) -> Replacement | None:
    """Return the replacement of this payment, asked for or made, if any."""
    return Replacement.objects.filter(pk=payment_id).first()


def replaced_by(payment_id: str) -> str:
    """Return the id of the payment that replaces this one, or "". Raises PaymentNotFound."""
    payments = Payment.objects.filter(pk=payment_id)
    for by in payments.values_list("replacement__replaced_by_id", flat=True):
        return by or ""
    raise PaymentNotFound
