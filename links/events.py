"""What the events about a payment link say."""

from typing import Any

from links.models import PaymentLink


def payment_link_created(link: PaymentLink) -> dict[str, Any]:
    return {
        "payment_link_id": link.id,
        "merchant_id": link.merchant_id,
        "amount": link.amount,
        "currency": link.currency,
        "description": link.description or None,
        "url": link.url,
        "status": link.status,
        "max_uses": link.max_uses,
        "metadata": link.metadata,
        "created_at": link.created_at,
        "expires_at": link.expires_at,
    }


def payment_link_payment_completed(
    link: PaymentLink, *, payment_id: str, amount: int
) -> dict[str, Any]:
    """`uses_count` is present only for a limited link: only there is it exact at this moment."""
    return {
        "payment_link_id": link.id,
        "payment_id": payment_id,
        "merchant_id": link.merchant_id,
        "amount": amount,
        "currency": link.currency,
        "status": link.status,
        "uses_count": None if link.max_uses is None else link.uses_count,
        "max_uses": link.max_uses,
        "metadata": link.metadata,
    }


def payment_link_deactivated(link: PaymentLink) -> dict[str, Any]:
    return {
        "payment_link_id": link.id,
        "merchant_id": link.merchant_id,
        "status": link.status,
        "deactivated_at": link.ended_at,
    }


def payment_link_expired(link: PaymentLink) -> dict[str, Any]:
    return {
        "payment_link_id": link.id,
        "merchant_id": link.merchant_id,
        "status": link.status,
        "expired_at": link.ended_at,
    }
