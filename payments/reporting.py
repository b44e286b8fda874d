"""Move a payment to a final status and write the event for its merchant, in one statement."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from core.writing import Write
from payments import events
from payments.models import Payment
from payments.statuses import PaymentStatus
from webhooks.event_types import EventType
from webhooks.outbox import emit

_REPORTS: dict[PaymentStatus, tuple[EventType, Callable[[Payment], dict[str, Any]]]] = {
    PaymentStatus.COMPLETED: (EventType.PAYMENT_COMPLETED, events.payment_completed),
    PaymentStatus.FAILED: (EventType.PAYMENT_FAILED, events.payment_failed),
    PaymentStatus.CANCELED: (EventType.PAYMENT_CANCELED, events.payment_canceled),
    PaymentStatus.EXPIRED: (EventType.PAYMENT_EXPIRED, events.payment_expired),
}


def move_and_report(
    payment: Payment, *path: PaymentStatus, now: datetime, actor: str, cause: str = ""
) -> None:
    """Move a locked payment along `path` to a final status, and write the event of that status.

    Raises as `transition_to` does.
    """
    event_type, data_of = _REPORTS[path[-1]]

    def send(*moves: Write) -> None:
        emit(event_type, about=payment, data=data_of(payment), now=now, beside=moves)

    payment.transition_to(*path, now=now, actor=actor, cause=cause, send=send)
