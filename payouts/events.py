"""What the events about a payout say: the contract's fields exactly, where it shows them."""

from typing import Any

from payouts.models import Payout


def payout_created(payout: Payout) -> dict[str, Any]:
    return {
        "payout_id": payout.id,
        "merchant_id": payout.merchant_id,
        "amount": payout.amount,
        "currency": payout.currency,
        "status": payout.status,
        "arrival_date": payout.arrival_date.isoformat(),
        "created_at": payout.created_at,
    }


def payout_paid(payout: Payout) -> dict[str, Any]:
    return {
        "payout_id": payout.id,
        "amount": payout.amount,
        "arrival_date": payout.arrival_date.isoformat(),
    }


def payout_failed(payout: Payout) -> dict[str, Any]:
    return {
        "payout_id": payout.id,
        "merchant_id": payout.merchant_id,
        "amount": payout.amount,
        "currency": payout.currency,
        "status": payout.status,
        "error_code": payout.failure_code,
        "error_message": payout.failure_message,
        "failed_at": payout.failed_at or payout.returned_at,
    }
