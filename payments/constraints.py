"""The check constraints that the database enforces on a payment."""

from django.db import models
from django.db.models import F, Q

from core.money import MAX_AMOUNT
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus

_COMPLETED = Q(status=PaymentStatus.COMPLETED)
_COUNTER = Q(amount=None, payment_mode=PaymentMode.STATIC_PAY, static_payment=None)
CONSTRAINTS = (
    models.CheckConstraint(
        # NULL is ruled out explicitly: a check constraint passes when a comparison is unknown.
        condition=Q(amount__isnull=False, amount__range=(1, MAX_AMOUNT)) | _COUNTER,
        name="payment_amount",
    ),
    models.CheckConstraint(condition=Q(status__in=PaymentStatus.values), name="payment_status"),
    models.CheckConstraint(
        condition=(
            _COMPLETED
            & Q(
                completed_at__isnull=False,
                transaction_id__isnull=False,
                customer__isnull=False,
                amount__isnull=False,
                fee__isnull=False,
            )
        )
        | (~_COMPLETED & Q(completed_at__isnull=True, transaction_id__isnull=True)),
        name="payment_completed_at",
    ),
    models.CheckConstraint(
        condition=Q(amount_refunded=0, amount_refund_pending=0)
        | (
            _COMPLETED
            & Q(amount_refunded__gte=0, amount_refund_pending__gte=0)
            & Q(amount__gte=F("amount_refunded") + F("amount_refund_pending"))
        ),
        name="payment_amount_refunded",
    ),
    models.CheckConstraint(
        condition=Q(fee__isnull=True) | Q(fee__gte=0, fee__lte=F("amount")),
        name="payment_fee",
    ),
    models.CheckConstraint(
        condition=Q(tip__isnull=True) | Q(amount__isnull=False, tip__gte=1, tip__lt=F("amount")),
        name="payment_tip",
    ),
)
