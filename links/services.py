"""What a merchant does with a payment link, and what a payment through it needs."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from core.changes import real_changes
from core.errors import ValidationFailed
from core.ids import new_id
from links import events
from links.models import LinkUse, PaymentLink
from links.statuses import LinkStatus
from links.uses import count_uses
from merchants.callers import Caller
from merchants.standing import refuse_revoked_key, refuse_suspended
from webhooks.event_types import EventType
from webhooks.outbox import emit

EXPIRY_ACTOR = "system:links.expire"


@dataclass(frozen=True)
class LinkDraft:
    """The inputs of a new link, as parsed. The amount in cents; None: the customer enters it."""

    currency: str
    amount: int | None = None
    description: str = ""
    max_uses: int | None = None
    expires_at: datetime | None = None
    success_url: str = ""
    cancel_url: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@transaction.atomic
def create_link(*, caller: Caller, draft: LinkDraft, now: datetime) -> PaymentLink:
    """Create a payment link (`POST /v1/payment-links`).

    Raises ValidationFailed if development mode names no merchant, or for an expiry in the past.
    """
    merchant = caller.owner_named("merchant_slug")
    _refuse_past(draft.expires_at, now)
    link = PaymentLink.objects.create(
        id=new_id("link", now),
        merchant=merchant,
        livemode=caller.livemode,
        amount=draft.amount,
        currency=draft.currency,
        description=draft.description,
        max_uses=draft.max_uses,
        expires_at=draft.expires_at,
        success_url=draft.success_url,
        cancel_url=draft.cancel_url,
        metadata=draft.metadata,
        created_at=now,
        created_by=caller.actor,
        updated_at=now,
    )
    data = events.payment_link_created(link)
    emit(EventType.PAYMENT_LINK_CREATED, about=link, data=data, now=now)
    return link


@transaction.atomic
def update_link(
    *, caller: Caller, link_id: str, changes: dict[str, Any], now: datetime
) -> PaymentLink:
    """Change an active link; `metadata` as a whole. `updated_at` moves only if a value differs.

    Raises PaymentLinkNotFound, PaymentLinkInactive or PaymentLinkExpired once it has ended,
    ValidationFailed for an expiry in the past or fewer uses than were made, Unauthorized if the
    live key has been revoked while this waited.
    """
    PaymentLink.objects.visible_to(caller).one(link_id)
    link = PaymentLink.objects.locked_against_use(link_id)
    link.refuse_ended(now)
    _refuse_past(changes.get("expires_at"), now)
    count_uses(link)
    refuse_revoked_key(caller)
    most = changes.get("max_uses")
    if most is not None and most <= link.uses_count:
        raise ValidationFailed(max_uses=f"must be more than the {link.uses_count} uses made")
    changes = real_changes(link, changes)
    if not changes:
        return link
    for name, value in changes.items():
        setattr(link, name, value)
    link.updated_at = now
    link.save(update_fields=[*changes, "updated_at"])
    return link


@transaction.atomic
def deactivate_link(*, caller: Caller, link_id: str, now: datetime) -> PaymentLink:
    """End a link for good: no payment completes through it afterwards.

    Raises PaymentLinkNotFound, or the error of its current status, and Unauthorized if the live key
    has been revoked while this waited.
    """
    link = PaymentLink.objects.visible_to(caller).locked_against_use(link_id)
    count_uses(link)
    refuse_revoked_key(caller)
    link.transition_to(LinkStatus.DEACTIVATED, now=now, actor=caller.actor)
    data = events.payment_link_deactivated(link)
    emit(EventType.PAYMENT_LINK_DEACTIVATED, about=link, data=data, now=now)
    return link


@transaction.atomic
def expire_link(*, link_id: str, now: datetime) -> PaymentLink:
    """End a link whose time has passed. Raises the error of its current status."""
    link = PaymentLink.objects.locked_against_use(link_id)
    if link.status_at(now) != LinkStatus.EXPIRED:
        raise link.refusal(now)
    link.transition_to(LinkStatus.EXPIRED, now=now, actor=EXPIRY_ACTOR)
    data = events.payment_link_expired(link)
    emit(EventType.PAYMENT_LINK_EXPIRED, about=link, data=data, now=now)
    return link


def open_link(link_id: str, *, now: datetime) -> PaymentLink:
    """Return a link that can take a payment now, for a payment about to be started.

    Raises PaymentLinkNotFound, PaymentLinkInactive, PaymentLinkExpired, MerchantInactive.
    """
    link = PaymentLink.objects.select_related("merchant").one(link_id)
    refuse_closed(link, now=now)
    return link


def refuse_closed(link: PaymentLink, *, now: datetime) -> None:
    """Raise the error of a link that takes no payment now, as `open_link` does."""
    refuse_suspended(link.merchant)
    link.refuse_ended(now)


def read_public_link(merchant_slug: str, link_id: str) -> PaymentLink:
    """Return a link at its address, as anyone may see it, ended or not.

    Raises PaymentLinkNotFound, MerchantInactive.
    """
    link = PaymentLink.objects.at(merchant_slug).to_show().one(link_id)
    refuse_suspended(link.merchant)
    return link


def lock_for_use(link_id: str, *, now: datetime) -> PaymentLink:
    """Lock a link, before its payment is locked, so that no other payment takes its last use.

    Payments through an unlimited link do not wait for each other. Raises PaymentLinkNotFound,
    PaymentLinkInactive, PaymentLinkExpired.
    """
    link = PaymentLink.objects.held_for_use(link_id)
    link.refuse_ended(now)
    return link


def record_use(link_id: str, *, payment_id: str, amount: int, now: datetime) -> None:
    """Record a use, in the transaction that completes its payment; the last one ends the link.

    `amount` is in cents. Locks the link if the caller has not. Raises as lock_for_use does.
    """
    link = lock_for_use(link_id, now=now)
    limited = link.max_uses is not None
    LinkUse.objects.create(
        link=link, payment_id=payment_id, amount=amount, used_at=now, counted=limited
    )
    if limited:
        _count_at_once(link, amount=amount, now=now)
    data = events.payment_link_payment_completed(link, payment_id=payment_id, amount=amount)
    emit(EventType.PAYMENT_LINK_PAYMENT_COMPLETED, about=link, data=data, now=now)


def _count_at_once(link: PaymentLink, *, amount: int, now: datetime) -> None:
    link.uses_count += 1
    link.amount_collected += amount
    link.save(update_fields=["uses_count", "amount_collected"])
    if link.uses_count == link.max_uses:
        link.transition_to(LinkStatus.USED_UP, now=now, actor="system:links.record_use")


def _refuse_past(expires_at: datetime | None, now: datetime) -> None:
    if expires_at is not None and expires_at <= now:
        raise ValidationFailed(expires_at="must lie in the future")
