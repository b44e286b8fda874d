"""The inquiry state machine: every status and every allowed transition, defined only here."""

from django.db.models import TextChoices


class InquiryStatus(TextChoices):
    OPEN = "open"
    ANSWERED = "answered"
    REFUNDED = "refunded"
    CLOSED = "closed"


class InquiryReason(TextChoices):
    """The kinds of problem that customers can choose from."""

    NOT_RECEIVED = "not_received"
    NOT_AS_DESCRIBED = "not_as_described"
    WRONG_AMOUNT = "wrong_amount"
    DUPLICATE = "duplicate"
    UNRECOGNIZED = "unrecognized"
    OTHER = "other"


S = InquiryStatus

# A customer who writes again reopens it; while it is open, that only adds an entry.
INQUIRY_TRANSITIONS: dict[InquiryStatus, frozenset[InquiryStatus]] = {
    S.OPEN: frozenset({S.OPEN, S.ANSWERED, S.REFUNDED, S.CLOSED}),
    S.ANSWERED: frozenset({S.OPEN, S.REFUNDED, S.CLOSED}),
    S.REFUNDED: frozenset({S.OPEN}),
    S.CLOSED: frozenset({S.OPEN}),
}
# The statuses that a refund of the payment settles.
UNSETTLED = frozenset(status for status in S if S.REFUNDED in INQUIRY_TRANSITIONS[status])
# The statuses whose text is sent to the customer: only merchant and service can set them.
ANSWERS = frozenset({S.ANSWERED, S.CLOSED})
