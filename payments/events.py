"""What the events about a payment say: the contract's fields exactly."""

from typing import Any

from payments.models import Payment


def payment_created(payment: Payment) -> dict[str, Any]:
    return {
        "payment_id": payment.id,
        "merchant_id": payment.merchant_id,
        "amount": payment.amount,
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
        "currency": payment.currency,
        "status": payment.status,
        "customer_id": payment.customer_id,
        "transaction_id": payment.transaction_id,
        "metadata": payment.metadata,
        "completed_at": payment.completed_at,
    }


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
