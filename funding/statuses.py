"""The top-up state machine: every status and every allowed transition, defined only here."""

from django.db.models import TextChoices


class TopUpStatus(TextChoices):
    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELED = "canceled"
    EXPIRED = "expired"
    REVERSED = "reversed"


S = TopUpStatus

# Money that arrives after a top-up was canceled or expired is still the customer's.
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
