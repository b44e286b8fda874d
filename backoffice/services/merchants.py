"""What staff do with merchants and their keys."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from backoffice.audit import Deed, recorded, state_of
from backoffice.roles import Right
from backoffice.staff import Staff
from merchants.models import ApiKey, Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, roll_key, set_fee, set_status
from merchants.statuses import MerchantStatus
from messages.models import Channel
from messages.planning import plan_message

_RIGHTS = {
    MerchantStatus.VERIFIED: Right.VERIFY_MERCHANT,
    MerchantStatus.UNVERIFIED: Right.VERIFY_MERCHANT,
    MerchantStatus.SUSPENDED: Right.SUSPEND_MERCHANT,
}
_ACTS = {
    MerchantStatus.VERIFIED: "verify merchant",
    MerchantStatus.UNVERIFIED: "set merchant unverified",
    MerchantStatus.SUSPENDED: "suspend merchant",
}


def change_status(
    *, staff: Staff, merchant_id: str, status: MerchantStatus, reason: str, now: datetime
) -> Merchant:
    """Verify, suspend or reinstate. Raises Forbidden, MerchantNotFound, MerchantStatusUnchanged."""
    deed = _deed(_ACTS[status], _RIGHTS[status], merchant_id, reason)
    with recorded(staff=staff, deed=deed, now=now) as record:
        record.before = state_of(Merchant.objects.one(merchant_id), "status")
        merchant = set_status(merchant_id=merchant_id, status=status, now=now)
        record.after = state_of(merchant, "status")
    return merchant


def change_fee(
    *, staff: Staff, merchant_id: str, fee_basis_points: int, reason: str, now: datetime
) -> Merchant:
    """Set the fee of payments to come. Raises Forbidden, MerchantNotFound, ValidationFailed."""
    deed = _deed("set fee", Right.FEE, merchant_id, reason)
    with recorded(staff=staff, deed=deed, now=now) as record:
        record.before = state_of(Merchant.objects.one(merchant_id), "fee_basis_points")
        merchant = set_fee(merchant_id=merchant_id, fee_basis_points=fee_basis_points, now=now)
        record.after = state_of(merchant, "fee_basis_points")
    return merchant


def add_key(
    *, staff: Staff, merchant_id: str, livemode: bool, name: str, reason: str, now: datetime
) -> IssuedKey:
    """Give a merchant one more key. Raises Forbidden, MerchantNotFound."""
    deed = _deed("issue key", right_to_keys(livemode), merchant_id, reason)
    with recorded(staff=staff, deed=deed, now=now) as record:
        merchant = Merchant.objects.locked(merchant_id)
        issued = issue_key(merchant=merchant, livemode=livemode, name=name, now=now)
        record.after = _state(issued.key)
        _tell(issued.key, f"A new API key was made: {issued.key.hint}.", now)
    return issued


def replace_key(
    *, staff: Staff, key_id: str, overlap: timedelta, reason: str, now: datetime
) -> IssuedKey:
    """Roll a key. Raises Forbidden, ApiKeyNotFound, ApiKeyNotActive, ValidationFailed."""
    before = ApiKey.objects.select_related("merchant").one(key_id)
    deed = _key_deed("roll key", right_to_keys(before.livemode), key_id, reason)
    with recorded(staff=staff, deed=deed, now=now) as record:
        record.before = _state(before)
        issued = roll_key(key_id=key_id, overlap=overlap, now=now)
        record.after = _state(ApiKey.objects.one(key_id)) | {"replaced_by": issued.key.pk}
        text = f"The API key {before.hint} was replaced by {issued.key.hint}."
        _tell(before, text, now)
    return issued


def end_key(*, staff: Staff, key_id: str, reason: str, now: datetime) -> ApiKey:
    """Revoke a key at once. Raises Forbidden, ApiKeyNotFound, ApiKeyNotActive."""
    deed = _key_deed("revoke key", Right.KEYS, key_id, reason)
    with recorded(staff=staff, deed=deed, now=now) as record:
        before = ApiKey.objects.select_related("merchant").one(key_id)
        record.before = _state(before)
        key = revoke_key(key_id=key_id, now=now)
        record.after = _state(key)
        _tell(before, f"The API key {key.hint} was revoked.", now)
    return key


def right_to_keys(livemode: bool) -> Right:
    """Return what it takes to hold a merchant's new key: a live one refunds and pays out."""
    return Right.LIVE_KEYS if livemode else Right.KEYS


def _tell(key: ApiKey, text: str, now: datetime) -> None:
    """Whoever owns the keys hears of it, so that a thief on our side cannot be quiet."""
    plan_message(
        channel=Channel.EMAIL,
        kind="api_key",
        recipient=key.merchant.email,
        about=key.merchant_id,
        merchant_id=key.merchant_id,
        livemode=True,  # a warning, whichever mode the key has
        subject=f"{settings.SERVICE_NAME}: your API keys",
        text=f"{text}\nIf you did not ask for this, answer this mail at once.",
        now=now,
    )


def _state(key: ApiKey) -> dict[str, Any]:
    return state_of(key, "id", "hint", "expires_at", "revoked_at")


def _deed(act: str, right: Right, merchant_id: str, reason: str) -> Deed:
    return Deed(
        act=act, right=right, subject_type="merchant", subject_id=merchant_id, reason=reason
    )


def _key_deed(act: str, right: Right, key_id: str, reason: str) -> Deed:
    return Deed(act=act, right=right, subject_type="apikey", subject_id=key_id, reason=reason)
