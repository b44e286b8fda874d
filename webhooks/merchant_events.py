"""The event of a merchant whose profile has changed."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from merchants.models import Merchant
from webhooks.event_types import EventType
from webhooks.outbox import MerchantInMode, emit
from webhooks.samples import Samples, sample_id, sample_instant


def emit_updated(
    merchant: Merchant, *, changed: Sequence[str], livemode: bool, now: datetime
) -> None:
    """Write `merchant.updated` in the mode of the change: live if staff have approved it."""
    about = MerchantInMode(merchant.id, merchant.id, livemode)
    data = merchant_updated(merchant, changed=changed)
    emit(EventType.MERCHANT_UPDATED, about=about, data=data, now=now)


def merchant_updated(merchant: Merchant, *, changed: Sequence[str]) -> dict[str, Any]:
    return {
        "merchant_id": merchant.id,
        "name": merchant.name,
        "slug": merchant.slug,
        "email": merchant.email,
        "website": merchant.website or None,
        "logo_url": merchant.logo_url or None,
        "support_email": merchant.support_email or None,
        "payout_schedule": merchant.payout_schedule,
        "status": merchant.status,
        "changed": changed,
        "updated_at": merchant.updated_at,
    }


def samples() -> Samples:
    """Return a payload of the type, from a merchant that is not stored."""
    merchant = Merchant(
        id=sample_id("mer"),
        name="Harbour Tours",
        slug="harbour-tours",
        email="owner@example.com",
        website="https://example.com",
        logo_url="https://example.com/logo.png",
        support_email="help@example.com",
        status="verified",
        updated_at=sample_instant(21, 13),
    )
    return {EventType.MERCHANT_UPDATED: merchant_updated(merchant, changed=["name"])}
