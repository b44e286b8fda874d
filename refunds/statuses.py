"""Every status a refund can have, and every move between them. No other module decides."""

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
