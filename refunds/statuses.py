"""The refund state machine: every status and every allowed transition, defined only here."""

from django.db.models import TextChoices


class RefundStatus(TextChoices):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


S = RefundStatus

TRANSITIONS: dict[RefundStatus, frozenset[RefundStatus]] = {
    S.PENDING: frozenset({S.SUCCEEDED, S.FAILED}),
    S.SUCCEEDED: frozenset(),
    S.FAILED: frozenset(),
}
