"""The payloads of refund and inquiry events: exactly the contract's fields, where it lists them."""

from typing import Any

from payments.events import sample_payment
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.failures import GIVE_UP_AFTER, NOT_COVERED
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.models import Inquiry, Refund
from refunds.statuses import RefundStatus
from webhooks.event_types import EventType
from webhooks.samples import Samples, sample_id, sample_instant

MADE_AT = sample_instant(21, 15)


def refund_created(refund: Refund) -> dict[str, Any]:
    return {
        "refund_id": refund.id,
        "payment_id": refund.payment_id,
        "merchant_id": refund.merchant_id,
        "amount": refund.amount,
        "currency": refund.currency,
        "reason": refund.reason,
        "status": refund.status,
        "created_at": refund.created_at,
    }


def refund_completed(refund: Refund) -> dict[str, Any]:
    return {
        "refund_id": refund.id,
        "payment_id": refund.payment_id,
        "amount": refund.amount,
        "reason": refund.reason,
    }


def refund_failed(refund: Refund) -> dict[str, Any]:
    return {
        "refund_id": refund.id,
        "payment_id": refund.payment_id,
        "merchant_id": refund.merchant_id,
        "amount": refund.amount,
        "currency": refund.currency,
        "reason": refund.reason,
        "status": refund.status,
        "failure_reason": refund.failure_reason,
        "failed_at": refund.failed_at,
    }


def payment_refunded(payment: Payment, refund: Refund) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": payment.status,
        "refund_id": refund.id,
        "amount_refunded": payment.amount_refunded,
        "refund_status": payment.refund_status,
        "metadata": payment.metadata,
    }


def inquiry_changed(inquiry: Inquiry) -> dict[str, Any]:
    """Return an inquiry's state, without what people wrote: events are kept forever."""
    return {
        "inquiry_id": inquiry.id,
        "payment_id": inquiry.payment_id,
        "merchant_id": inquiry.merchant_id,
        "reason": inquiry.reason,
        "status": inquiry.status,
        "created_at": inquiry.created_at,
        "updated_at": inquiry.updated_at,
    }


def samples() -> Samples:
    """Return a sample payload for each event type, from objects that are never saved."""
    payment, succeeded = sample_payment(PaymentStatus.COMPLETED), _sample(RefundStatus.SUCCEEDED)
    payment.amount_refunded = succeeded.amount
    failed = _sample(RefundStatus.FAILED)
    failed.failure_reason, failed.failed_at = NOT_COVERED, MADE_AT + GIVE_UP_AFTER
    return {
        EventType.REFUND_CREATED: refund_created(succeeded),
        EventType.REFUND_COMPLETED: refund_completed(succeeded),
        EventType.PAYMENT_REFUNDED: payment_refunded(payment, succeeded),
        EventType.REFUND_FAILED: refund_failed(failed),
        EventType.INQUIRY_CREATED: inquiry_changed(_sample_inquiry(InquiryStatus.OPEN)),
        EventType.INQUIRY_UPDATED: inquiry_changed(_sample_inquiry(InquiryStatus.ANSWERED)),
    }


def _sample_inquiry(status: InquiryStatus) -> Inquiry:
    return Inquiry(
        id=sample_id("inq"),
        payment_id=sample_id("pay"),
        merchant_id=sample_id("mer"),
        reason=InquiryReason.NOT_RECEIVED,
        status=status,
        created_at=MADE_AT,
        updated_at=MADE_AT,
    )


def _sample(status: RefundStatus) -> Refund:
    return Refund(
        id=sample_id("ref"),
        payment_id=sample_id("pay"),
        merchant_id=sample_id("mer"),
        amount=500,
        currency="BSD",
        reason="One item was sold out",
        status=status,
        created_at=MADE_AT,
    )
