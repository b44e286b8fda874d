"""What staff do with merchants and their keys."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.roles import Right
from backoffice.staff import Staff
from merchants.models import ApiKey, Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, roll_key
from messages.models import Channel
from messages.planning import plan_message


def add_key(
    *, staff: Staff, merchant_id: str, livemode: bool, name: str, reason: str, now: datetime
) -> IssuedKey:
    """Give a merchant one more key. Raises Forbidden, MerchantNotFound."""
    action = _action("issue key", right_to_keys(livemode), merchant_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        merchant = Merchant.objects.locked(merchant_id)
        issued = issue_key(merchant=merchant, livemode=livemode, name=name, now=now)
        record.after = _state(issued.key)
        _tell(issued.key, f"A new API key was issued: {issued.key.hint}.", now)
    return issued


def replace_key(
    *, staff: Staff, key_id: str, overlap: timedelta, reason: str, now: datetime
) -> IssuedKey:
    """Roll a key. Raises Forbidden, ApiKeyNotFound, ApiKeyNotActive, ValidationFailed."""
    before = ApiKey.objects.select_related("merchant").one(key_id)
    action = _key_action("roll key", right_to_keys(before.livemode), key_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        record.before = _state(before)
        issued = roll_key(key_id=key_id, overlap=overlap, now=now)
        record.after = _state(ApiKey.objects.one(key_id)) | {"replaced_by": issued.key.pk}
        text = f"The API key {before.hint} was replaced by {issued.key.hint}."
        _tell(before, text, now)
    return issued


@transaction.atomic
def end_key(*, staff: Staff, key_id: str, now: datetime) -> ApiKey:
    """Revoke a key at once, and tell the merchant. Raises ApiKeyNotFound, ApiKeyNotActive."""
    key = revoke_key(key_id=key_id, now=now)
    _tell(key, f"The API key {key.hint} was revoked.", now)
    return key


def right_to_keys(livemode: bool) -> Right:
    """Return what it takes to hold a merchant's new key: a live one refunds and pays out."""
    return Right.LIVE_KEYS if livemode else Right.KEYS


def _tell(key: ApiKey, text: str, now: datetime) -> None:
    """Notify the owner of the keys, so that a thief among staff is noticed."""
    plan_message(
        channel=Channel.EMAIL,
        kind="api_key",
        recipient=key.merchant.email,
        about=key.merchant_id,
        merchant_id=key.merchant_id,
        livemode=True,  # a warning, whichever mode the key has
        subject=f"{settings.SERVICE_NAME}: your API keys",
        text=f"{text}\nIf you did not request this, reply to this e-mail at once.",
        now=now,
    )


def _state(key: ApiKey) -> dict[str, Any]:
    return snapshot(key, "id", "hint", "expires_at", "revoked_at")


def _action(act: str, right: Right, merchant_id: str, reason: str) -> AuditAction:
    return AuditAction(
        act=act, right=right, subject_type="merchant", subject_id=merchant_id, reason=reason
    )


def _key_action(act: str, right: Right, key_id: str, reason: str) -> AuditAction:
    return AuditAction(
        act=act, right=right, subject_type="apikey", subject_id=key_id, reason=reason
    )
