"""The filters of the lists of refunds and inquiries."""

from core.queries import AMOUNTS, CREATED, UPDATED, exactly, one_of
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.statuses import RefundStatus

FILTERS = {
    "payment_id": exactly("Refunds of this payment."),
    "status": one_of(RefundStatus.values),
    **CREATED,
    **UPDATED,
    **AMOUNTS,
}

INQUIRY_FILTERS = {
    "payment_id": exactly("The inquiry of this payment."),
    "status": one_of(InquiryStatus.values),
    "reason": one_of(InquiryReason.values),
    **CREATED,
    **UPDATED,
}
