"""What the events about a payment link say."""

from typing import Any

from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.models import Merchant
from webhooks.event_types import EventType
from webhooks.samples import Samples, sample_id, sample_instant, sample_metadata


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


def samples() -> Samples:
    """Return a payload of each type, from links that are not stored."""
    active, payment_id = _sample(LinkStatus.ACTIVE), sample_id("pay")
    paid = payment_link_payment_completed(active, payment_id=payment_id, amount=1250)
    return {
        EventType.PAYMENT_LINK_CREATED: payment_link_created(active),
        EventType.PAYMENT_LINK_PAYMENT_COMPLETED: paid,
        EventType.PAYMENT_LINK_DEACTIVATED: payment_link_deactivated(
            _sample(LinkStatus.DEACTIVATED)
        ),
        EventType.PAYMENT_LINK_EXPIRED: payment_link_expired(_sample(LinkStatus.EXPIRED)),
    }


def _sample(status: LinkStatus) -> PaymentLink:
    return PaymentLink(
        id=sample_id("link"),
        merchant=Merchant(id=sample_id("mer"), slug="harbour-tours"),
        amount=1250,
        currency="BSD",
        description="Harbour tour",
        status=status,
        uses_count=3,
        max_uses=10,
        metadata=sample_metadata(),
        created_at=sample_instant(21, 13),
        expires_at=sample_instant(28, 13),
        ended_at=None if status == LinkStatus.ACTIVE else sample_instant(28, 13),
    )
