"""The payloads of payout events: exactly the contract's fields, where it lists them."""

from datetime import date
from typing import Any

from payouts.models import Payout
from payouts.statuses import PayoutStatus
from webhooks.event_types import EventType
from webhooks.samples import Samples, sample_id, sample_instant


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


def payout_canceled(payout: Payout) -> dict[str, Any]:
    return {
        "payout_id": payout.id,
        "merchant_id": payout.merchant_id,
        "amount": payout.amount,
        "currency": payout.currency,
        "status": payout.status,
        "canceled_at": payout.canceled_at,
    }


def samples() -> Samples:
    """Return a sample payload for each event type, from payouts that are never saved."""
    failed = _sample(PayoutStatus.FAILED)
    failed.failure_code, failed.failed_at = "account_closed", sample_instant(24, 9)
    failed.failure_message = "The bank account is closed."
    canceled = _sample(PayoutStatus.CANCELED)
    canceled.canceled_at = sample_instant(21, 17)
    return {
        EventType.PAYOUT_CREATED: payout_created(_sample(PayoutStatus.SCHEDULED)),
        EventType.PAYOUT_PAID: payout_paid(_sample(PayoutStatus.PAID)),
        EventType.PAYOUT_FAILED: payout_failed(failed),
        EventType.PAYOUT_CANCELED: payout_canceled(canceled),
    }


def _sample(status: PayoutStatus) -> Payout:
    return Payout(
        id=sample_id("po"),
        merchant_id=sample_id("mer"),
        amount=98_000,
        currency="BSD",
        status=status,
        arrival_date=date(2026, 11, 24),
        created_at=sample_instant(21, 16),
    )
