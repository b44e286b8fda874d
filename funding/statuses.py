"""Every status a top-up can have, and every move between them. No other module decides."""

from django.db.models import TextChoices


class TopUpStatus(TextChoices):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    EXPIRED = "expired"
    REVERSED = "reversed"


S = TopUpStatus

# Money that comes after a top-up was given up is the customer's all the same.
TRANSITIONS: dict[TopUpStatus, frozenset[TopUpStatus]] = {
    S.PENDING: frozenset({S.SUCCEEDED, S.FAILED, S.CANCELED, S.EXPIRED}),
    S.SUCCEEDED: frozenset({S.REVERSED}),
    S.FAILED: frozenset(),
    S.CANCELED: frozenset({S.SUCCEEDED}),
    S.EXPIRED: frozenset({S.SUCCEEDED}),
    S.REVERSED: frozenset(),
}

EVER_CREDITED = frozenset({S.SUCCEEDED} | TRANSITIONS[S.SUCCEEDED])
CREDITABLE = frozenset(status for status in S if S.SUCCEEDED in TRANSITIONS[status])
