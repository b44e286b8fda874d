"""The payloads of payment events: exactly the fields of the contract."""

from datetime import datetime
from typing import Any

from payments.failures import TOO_LITTLE_MONEY
from payments.models import Payment
from payments.modes import LIFETIME, PaymentMode
from payments.statuses import PaymentStatus
from webhooks.event_types import EventType
from webhooks.samples import Samples, sample_id, sample_instant, sample_metadata

MADE_AT, ENDED_AT = sample_instant(21, 14), sample_instant(21, 14, 2)


def payment_created(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        **_tip(payment),
        "currency": payment.currency,
        "status": payment.status,
        "payment_mode": payment.payment_mode,
        "metadata": payment.metadata,
        "created_at": payment.created_at,
        "expires_at": payment.expires_at,
    }


def payment_completed(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        **_tip(payment),
        "currency": payment.currency,
        "status": payment.status,
        "customer_id": payment.customer_id,
        "transaction_id": payment.transaction_id,
        "metadata": payment.metadata,
        "completed_at": payment.completed_at,
    }


def _tip(payment: Payment) -> dict[str, int]:
    return {} if payment.tip is None else {"tip": payment.tip}


def payment_failed(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        "status": payment.status,
        "error_code": payment.error_code,
        "error_message": payment.error_message,
        "metadata": payment.metadata,
        "failed_at": payment.failed_at,
    }


def payment_expired(payment: Payment) -> dict[str, Any]:
    return {"payment_id": payment.id}


def payment_canceled(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": payment.status,
        "metadata": payment.metadata,
        "canceled_at": payment.canceled_at,
    }


def payment_replacement_requested(payment: Payment, *, requested_at: datetime) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": payment.status,
        "metadata": payment.metadata,
        "requested_at": requested_at,
    }


def samples() -> Samples:
    """Return a sample payload for each event type, from payments that are never saved."""
    created, expired = sample_payment(), sample_payment(PaymentStatus.EXPIRED)
    completed = sample_payment(PaymentStatus.COMPLETED, completed_at=ENDED_AT)
    failed = sample_payment(PaymentStatus.FAILED, failed_at=ENDED_AT)
    failed.error_code = TOO_LITTLE_MONEY.code
    failed.error_message = TOO_LITTLE_MONEY.message
    canceled = sample_payment(PaymentStatus.CANCELED, canceled_at=ENDED_AT)
    return {
        EventType.PAYMENT_CREATED: payment_created(created),
        EventType.PAYMENT_COMPLETED: payment_completed(completed),
        EventType.PAYMENT_FAILED: payment_failed(failed),
        EventType.PAYMENT_EXPIRED: payment_expired(expired),
        EventType.PAYMENT_CANCELED: payment_canceled(canceled),
        EventType.PAYMENT_REPLACEMENT_REQUESTED: payment_replacement_requested(
            expired, requested_at=ENDED_AT
        ),
    }


def sample_payment(status: PaymentStatus = PaymentStatus.CREATED, **ended: datetime) -> Payment:
    """Return an unsaved sample payment in this status."""
    paid = status == PaymentStatus.COMPLETED
    return Payment(
        id=sample_id("pay"),
        merchant_id=sample_id("mer"),
        amount=1250,
        currency="BSD",
        status=status,
        payment_mode=PaymentMode.DYNAMIC_PAY,
        customer_id=sample_id("cus") if paid else None,
        transaction_id=sample_id("txn") if paid else None,
        metadata=sample_metadata(),
        created_at=MADE_AT,
        expires_at=MADE_AT + LIFETIME,
        **ended,
    )
