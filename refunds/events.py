"""What the events about a refund say: the contract's fields exactly, where it shows them."""

from typing import Any

from payments.models import Payment
from refunds.models import Refund


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
