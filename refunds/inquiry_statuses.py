"""Every status of an inquiry, and every move between them. No other module decides."""

from django.db.models import TextChoices


class InquiryStatus(TextChoices):
    OPEN = "open"
    ANSWERED = "answered"
    REFUNDED = "refunded"
    CLOSED = "closed"


class InquiryReason(TextChoices):
    """What customers report, from a list."""

    NOT_RECEIVED = "not_received"
    NOT_AS_DESCRIBED = "not_as_described"
    WRONG_AMOUNT = "wrong_amount"
    DUPLICATE = "duplicate"
    UNRECOGNIZED = "unrecognized"
    OTHER = "other"


S = InquiryStatus

# A customer who writes again opens it again; while it is open, that only adds to it.
INQUIRY_TRANSITIONS: dict[InquiryStatus, frozenset[InquiryStatus]] = {
    S.OPEN: frozenset({S.OPEN, S.ANSWERED, S.REFUNDED, S.CLOSED}),
    S.ANSWERED: frozenset({S.OPEN, S.REFUNDED, S.CLOSED}),
    S.REFUNDED: frozenset({S.OPEN}),
    S.CLOSED: frozenset({S.OPEN}),
}
# Those that a refund of the payment settles.
UNSETTLED = frozenset(status for status in S if S.REFUNDED in INQUIRY_TRANSITIONS[status])
# Those whose words the customer is sent: no one but the merchant and the service leads there.
ANSWERS = frozenset({S.ANSWERED, S.CLOSED})
