"""What to tell a caller about a problem that a customer has reported."""

from datetime import datetime

from backoffice.formats import clock
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.models import Inquiry

_OUTCOMES = {
    InquiryStatus.ANSWERED: "was answered",
    InquiryStatus.REFUNDED: "was settled by a refund",
    InquiryStatus.CLOSED: "was closed without a refund",
}


def inquiry_words(inquiry: Inquiry, now: datetime) -> str:
    """Return the state of an inquiry, in a sentence.

    It leaves out who reported it: the inquiry's page marks which entries a signed-in customer
    wrote.
    """
    reported = InquiryReason(inquiry.reason).label.lower()
    if inquiry.open_since is not None:
        since = clock(inquiry.open_since, now)
        return (
            f"“{reported}” was reported on the receipt and has waited for an answer since {since}."
        )
    outcome = _OUTCOMES[InquiryStatus(inquiry.status)]
    when = clock(inquiry.updated_at, now)
    return f"“{reported}” was reported on the receipt; it {outcome} {when}."
