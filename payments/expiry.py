"""The expiry of payments, and the settlement of slow ones. Both may run twice at once.

Live ones go first: anyone makes as many of the others due at once as they like.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from core.clock import clock_from
from core.sweeping import sweep
from payments.models import Payment
from payments.paying import settle_due_payment
from payments.reporting import move_and_report
from payments.statuses import EXPIRABLE, PaymentStatus

BATCH = 500


def expire_due(*, now: datetime) -> int:
    """Expire the payments whose time has passed; return how many this call expired."""
    due = Payment.objects.due_to_expire(now).order_by("-livemode", "expires_at")

    def expire(payment_id: str) -> bool:
        expire_payment(payment_id=payment_id, now=now)
        return True

    return sweep("expire payments", expire, list(due.values_list("pk", flat=True)[:BATCH]))


def settle_due(*, now: datetime) -> int:
    """Settle the payments whose time in `processing` is over; return how many."""
    ids = due_to_settle(now).order_by("-livemode", "settles_at").values_list("pk", flat=True)

    clock = clock_from(now)

    def settle(payment_id: str) -> bool:
        settle_due_payment(payment_id=payment_id, now=clock())
        return True

    return sweep("settle payments", settle, list(ids[:BATCH]))


def due_to_settle(now: datetime) -> QuerySet[Payment]:
    """Return the payments whose time in `processing` is over."""
    return Payment.objects.filter(status=PaymentStatus.PROCESSING, settles_at__lte=now)


@transaction.atomic
def expire_payment(*, payment_id: str, now: datetime) -> Payment:
    """Expire one payment. Raises PaymentNotFound if it is not, or no longer, due to expire."""
    payment = Payment.objects.due_to_expire(now).locked(payment_id)
    move_and_report(payment, PaymentStatus.EXPIRED, now=now, actor="system:payments.expire")
    return payment


@transaction.atomic
def expire_early(*, payment_id: str, now: datetime) -> Payment:
    """Expire a test payment now, ahead of time. Raises as `expire_payment` does."""
    Payment.objects.filter(
        pk=payment_id, livemode=False, status__in=EXPIRABLE, expires_at__gt=now
    ).update(expires_at=now)
    return expire_payment(payment_id=payment_id, now=now)
