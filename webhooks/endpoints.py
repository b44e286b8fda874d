"""What a merchant does with its endpoints: create, change, delete, rotate the secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from core.changes import real_changes
from core.errors import ValidationFailed
from core.ids import new_id
from core.sealed import seal
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import has_self_service_key, recheck_caller
from outbound.policy import fault_of, policy_for
from webhooks.address_notices import Silence, tell_of_address, tell_of_silence
from webhooks.delivery.signing import hint_of, new_secret
from webhooks.endpoint_outages import CLEAN_RECORD, store_outage
from webhooks.event_types import EventType, covered_by
from webhooks.models import Webhook
from webhooks.statuses import DisabledReason, OutageEnd

MAX_ENDPOINTS = 100
MAX_SELF_SERVICE_ENDPOINTS = 10  # for keys anyone can get: an event is as many calls elsewhere
# What changes along with `is_active`.
_SWITCHED = {
    True: CLEAN_RECORD | {"disabled_reason": ""},
    False: {"disabled_reason": DisabledReason.REQUESTED},
}


@dataclass(frozen=True)
class IssuedSecret:
    """An endpoint and its new secret, which is shown once and stored encrypted."""

    webhook: Webhook
    secret: str = field(repr=False)


@transaction.atomic
def create_webhook(
    *, caller: Caller, url: str, events: list[str], description: str, now: datetime
) -> IssuedSecret:
    """Register an endpoint; the owner is told of a live one.

    Raises ValidationFailed, RateLimited, and as `recheck_caller`. Serves POST /v1/webhooks.
    """
    refuse_url(url, livemode=caller.livemode)
    merchant = Merchant.objects.locked(caller.owner.id)
    recheck_caller(caller, merchant)
    _refuse_too_many(caller)
    secret = new_secret()
    webhook = Webhook(
        id=new_id("wh", now),
        merchant=merchant,
        livemode=caller.livemode,
        url=url,
        url_set_at=now,
        url_set_by=caller.actor,
        events=events,
        description=description,
        secret_hint=hint_of(secret),
        secret_created_at=now,
        created_at=now,
        updated_at=now,
    )
    seal(webhook, "secret", secret)
    webhook.save(force_insert=True)
    tell_of_address(webhook, now=now)
    return IssuedSecret(webhook, secret)


@transaction.atomic
def update_webhook(
    *, caller: Caller, webhook_id: str, changes: dict[str, Any], now: datetime
) -> Webhook:
    """Change an endpoint; a new URL, or switching it on again, resets its failure record.

    If no value differs, nothing is written.

    The owner is told if a live one is moved, switched on or sent less. Raises WebhookNotFound,
    ValidationFailed, RateLimited, and as `recheck_caller`. Serves PATCH /v1/webhooks/:id.
    """
    webhook = _locked(caller, webhook_id)
    changes = real_changes(webhook, changes)
    if not changes:
        return webhook
    lost = covered_by(webhook.events) - covered_by(changes.get("events", webhook.events))
    is_active = changes.get("is_active")  # None: as it was
    if "url" in changes:
        refuse_url(changes["url"], livemode=webhook.livemode)
        store_outage(webhook, OutageEnd.MOVED, now=now)
        changes |= {"last_success_at": None, "url_set_at": now, "url_set_by": caller.actor}
        changes |= CLEAN_RECORD
    elif is_active:
        store_outage(webhook, OutageEnd.SWITCHED_ON, now=now)
    if is_active is not None:
        changes |= _SWITCHED[is_active]
    for name, value in changes.items():
        setattr(webhook, name, value)
    webhook.updated_at = now
    webhook.save(update_fields=[*changes, "updated_at"])
    if caller.merchant:
        _tell_owner(webhook, changes, lost, now)
    return webhook


def _tell_owner(
    webhook: Webhook, changes: Mapping[str, Any], lost: set[EventType], now: datetime
) -> None:
    """Tell the owner where events are sent from now on, and which are not any more."""
    if "url" in changes or changes.get("is_active"):
        tell_of_address(webhook, now=now)
    if changes.get("is_active") is False:
        tell_of_silence(webhook, Silence.OFF, now=now)
    if lost:
        tell_of_silence(webhook, Silence.NARROWED, lost=lost, now=now)


@transaction.atomic
def delete_webhook(*, caller: Caller, webhook_id: str, now: datetime) -> Webhook:
    """Delete an endpoint: nothing is sent there any more. Its log is kept for staff.

    The owner is told of a live one. Raises WebhookNotFound, and as `recheck_caller`. Serves
    DELETE /v1/webhooks/:id.
    """
    webhook = _locked(caller, webhook_id)
    webhook.deleted_at = webhook.updated_at = now
    webhook.save(update_fields=["deleted_at", "updated_at"])
    tell_of_silence(webhook, Silence.DELETED, now=now)
    return webhook


@transaction.atomic
def rotate_secret(
    *, caller: Caller, webhook_id: str, overlap: timedelta, now: datetime
) -> IssuedSecret:
    """Replace the secret; the old one keeps signing for `overlap`, any earlier one expires now.

    The owner is told of a live one: a receiver that verifies by the old secret accepts nothing
    after that. Raises WebhookNotFound, and as `recheck_caller`. Serves
    POST /v1/webhooks/:id/rotate-secret.
    """
    webhook = _locked(caller, webhook_id)
    secret = new_secret()
    webhook.previous_secret = webhook.secret if overlap else ""
    webhook.previous_secret_expires_at = now + overlap if overlap else None
    seal(webhook, "secret", secret)
    webhook.secret_hint = hint_of(secret)
    webhook.secret_created_at = webhook.updated_at = now
    webhook.save(
        update_fields=[
            "previous_secret",
            "previous_secret_expires_at",
            "secret",
            "secret_hint",
            "secret_created_at",
            "updated_at",
        ]
    )
    tell_of_silence(webhook, Silence.SECRET, now=now)
    return IssuedSecret(webhook, secret)


def _locked(caller: Caller, webhook_id: str) -> Webhook:
    """Lock an endpoint of the caller's, after its merchant, and check the caller's key again.

    A thief would otherwise switch on, within a second, what staff have ended with the key.
    """
    if caller.merchant is not None:
        recheck_caller(caller, Merchant.objects.locked(caller.merchant.id))
    return Webhook.objects.visible_to(caller).not_deleted().locked(webhook_id)


def _refuse_too_many(caller: Caller) -> None:
    """Raise ValidationFailed at the limit: each event costs one delivery per endpoint.

    The merchant is locked, so that concurrent requests are counted one after the other.
    """
    is_self_service = has_self_service_key(caller)
    most = MAX_SELF_SERVICE_ENDPOINTS if is_self_service else MAX_ENDPOINTS
    if Webhook.objects.visible_to(caller).not_deleted().count() >= most:
        until = " until the merchant is verified" if is_self_service else ""
        raise ValidationFailed(f"There may be {most} webhooks at most{until}: delete one first.")


def refuse_url(url: str, *, livemode: bool) -> None:
    """Raise ValidationFailed if an endpoint of this mode may not be at the URL."""
    fault = fault_of(url, policy_for(livemode=livemode))
    if fault is None and "#" in url:
        fault = "must not have a fragment (#…), which no request carries"
    if fault is not None:
        raise ValidationFailed(url=fault)
