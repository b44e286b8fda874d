"""The payout state machine: every status and every allowed transition, defined only here."""

from django.db.models import TextChoices


class PayoutStatus(TextChoices):
    SCHEDULED = "scheduled"
    IN_TRANSIT = "in_transit"
    PAID = "paid"
    FAILED = "failed"
    CANCELED = "canceled"
    RETURNED = "returned"


S = PayoutStatus

TRANSITIONS: dict[PayoutStatus, frozenset[PayoutStatus]] = {
    S.SCHEDULED: frozenset({S.IN_TRANSIT, S.FAILED, S.CANCELED}),
    S.IN_TRANSIT: frozenset({S.PAID, S.FAILED}),
    S.PAID: frozenset({S.RETURNED}),
    S.FAILED: frozenset(),
    S.CANCELED: frozenset(),
    S.RETURNED: frozenset(),
}

CANCELABLE = frozenset(status for status in S if S.CANCELED in TRANSITIONS[status])
OUTGOING = frozenset(status for status in S if S.FAILED in TRANSITIONS[status])
EVER_PAID = frozenset({S.PAID} | TRANSITIONS[S.PAID])
ENDED_UNPAID = frozenset({S.FAILED, S.RETURNED})
# Its money has not left: it waits, or was called off.
STAYED = CANCELABLE | {S.CANCELED}
NEVER_PAID = frozenset({S.FAILED, S.CANCELED})
