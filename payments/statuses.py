"""The payment state machine: every status and every allowed transition, defined only here."""

from datetime import datetime

from django.db.models import TextChoices


class PaymentStatus(TextChoices):
    CREATED = "created"
    PENDING = "pending"
    REQUIRES_ACTION = "requires_action"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"
    CANCELED = "canceled"


S = PaymentStatus

TRANSITIONS: dict[PaymentStatus, frozenset[PaymentStatus]] = {
    S.CREATED: frozenset({S.PENDING, S.PROCESSING, S.CANCELED, S.EXPIRED}),
    S.PENDING: frozenset({S.REQUIRES_ACTION, S.PROCESSING, S.CANCELED, S.EXPIRED}),
    S.REQUIRES_ACTION: frozenset({S.PENDING, S.PROCESSING, S.FAILED, S.EXPIRED}),
    S.PROCESSING: frozenset({S.COMPLETED, S.FAILED}),
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
    S.EXPIRED: frozenset(),
    S.CANCELED: frozenset(),
}


def _leading_to(target: PaymentStatus) -> frozenset[PaymentStatus]:
    return frozenset(status for status in S if target in TRANSITIONS[status])


CANCELABLE = _leading_to(S.CANCELED)
EXPIRABLE = _leading_to(S.EXPIRED)
PAYABLE = _leading_to(S.PROCESSING)
FINAL = frozenset(status for status in S if not TRANSITIONS[status])
AGREED = frozenset({S.PROCESSING, S.COMPLETED})  # the customer has pressed Pay
REPLACEABLE = FINAL - {S.COMPLETED}

# What a refusal adds after the status.
ALLOWED = {
    S.CREATED: "it can be paid, and canceled",
    S.PENDING: "it can be paid, and canceled",
    S.REQUIRES_ACTION: "it can be paid by its customer",
    S.PROCESSING: "its outcome is on the way",
    S.COMPLETED: "it can only be refunded",
    **dict.fromkeys((S.FAILED, S.EXPIRED, S.CANCELED), "nothing more can be done with it"),
}


def status_at(status: str, expires_at: datetime | None, now: datetime) -> PaymentStatus:
    """Return the effective status, to show and to act on: expired from `expires_at` on."""
    overdue = expires_at is not None and expires_at <= now and status in EXPIRABLE
    return PaymentStatus.EXPIRED if overdue else PaymentStatus(status)
