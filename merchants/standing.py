"""Whether a merchant and its key may act: checked on arrival, and again under the merchant's lock.

A request is let in before it waits for that lock, and other processes learn up to a second late
what has ended. Anyone who still acts by then must not gain by it: what a verified merchant asks for
waits for staff, and a suspended one no longer counts as verified.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings

from core.clock import utc_now
from core.errors import Unauthorized
from merchants.errors import INVALID_KEY, MerchantInactive, MerchantNotVerified
from merchants.models import ApiKey, Merchant
from merchants.statuses import MerchantStatus

if TYPE_CHECKING:
    from merchants.callers import Caller


def refuse_suspended(merchant: Merchant) -> None:
    """Raise MerchantInactive for a suspended merchant: it cannot be paid."""
    if merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive


def refuse_status(merchant: Merchant, *, livemode: bool) -> None:
    """Raise MerchantInactive, or MerchantNotVerified if live calls need a verified merchant."""
    refuse_suspended(merchant)
    unverified = merchant.status != MerchantStatus.VERIFIED
    if livemode and unverified and settings.REQUIRE_VERIFIED_MERCHANTS:
        raise MerchantNotVerified


def may_act(merchant: Merchant, *, livemode: bool) -> bool:
    """Return whether `refuse_status` lets a merchant act in a mode."""
    try:
        refuse_status(merchant, livemode=livemode)
    except (MerchantInactive, MerchantNotVerified):
        return False
    return True


def is_self_service(merchant: Merchant, *, livemode: bool) -> bool:
    """Return whether anyone can get such a key: neither staff nor a sale vouches for it."""
    if livemode and not settings.REQUIRE_VERIFIED_MERCHANTS:
        return merchant.status == MerchantStatus.SUSPENDED
    return merchant.status != MerchantStatus.VERIFIED


def has_self_service_key(caller: "Caller") -> bool:
    """Return whether anyone could make such a call, as they can without naming a merchant."""
    return caller.merchant is None or is_self_service(caller.merchant, livemode=caller.livemode)


def recheck_caller(caller: "Caller", merchant: Merchant) -> ApiKey | None:
    """Check the caller again; return its key, or None if the call came without one.

    The merchant is locked: an end that came first has been seen. Raises as `refuse_status`, and
    Unauthorized for a key that has ended: by the present time, as it may have been rolled after the
    instant of the request.
    """
    refuse_status(merchant, livemode=caller.livemode)
    key = _key_of(caller.actor)
    if key is not None:
        _refuse_inactive(key)
    return key


def refuse_ended_key(caller: "Caller") -> None:
    """Check the key and merchant of a live call again, after its waits and before it commits.

    One statement, without a lock. Nothing is checked for staff, or in test mode, where no money
    moves. Raises as `recheck_caller`.
    """
    if not caller.livemode:
        return
    keys = ApiKey.objects.select_related("merchant")
    key = keys.filter(pk=caller.actor.removeprefix("key:")).first()
    if key is not None:
        refuse_status(key.merchant, livemode=True)
        _refuse_inactive(key)


def refuse_revoked_key(caller: "Caller") -> ApiKey | None:
    """Check a live call's key as `refuse_ended_key` does, for what a suspended merchant may do.

    Return it, or None if the call came without one, or in test mode.
    """
    is_by_key = caller.livemode and caller.actor.startswith("key:")
    key = _key_of(caller.actor) if is_by_key else None
    if key is not None:
        _refuse_inactive(key)
    return key


def has_key_ended(actor: str, *, now: datetime) -> bool:
    """Return whether an actor was an API key that has ended since: it may have been stolen."""
    key = _key_of(actor)
    return key is not None and not key.is_active(now)


def _refuse_inactive(key: ApiKey) -> None:
    if not key.is_active(utc_now()):
        raise Unauthorized(INVALID_KEY)


def _key_of(actor: str) -> ApiKey | None:
    return ApiKey.objects.filter(pk=actor.removeprefix("key:")).first()
