"""Whether a merchant and its key may act: asked at the door, and again under the merchant's lock.

A request is let in before it waits for that lock, and other processes know of what has ended up to
a second late. Who still acts by then must not gain by it: what a verified merchant asks for waits
for staff, and a suspended one is no verified one any more.
"""

from typing import TYPE_CHECKING

from django.conf import settings

from core.clock import utc_now
from core.errors import Unauthorized
from merchants.errors import INVALID_KEY, MerchantInactive, MerchantNotVerified
from merchants.models import ApiKey, Merchant
from merchants.statuses import MerchantStatus

if TYPE_CHECKING:
    from merchants.callers import Caller


def refuse_status(merchant: Merchant, *, livemode: bool) -> None:
    """Raise MerchantInactive, or MerchantNotVerified where live calls take a verified merchant."""
    if merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive
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


def is_free(merchant: Merchant, *, livemode: bool) -> bool:
    """Return whether anyone gets such a key by asking: neither staff nor a sale stand behind it."""
    if livemode and not settings.REQUIRE_VERIFIED_MERCHANTS:
        return merchant.status == MerchantStatus.SUSPENDED
    return merchant.status != MerchantStatus.VERIFIED


def has_free_key(caller: "Caller") -> bool:
    """Return whether anyone could call like that; so a call without a merchant's name."""
    return caller.merchant is None or is_free(caller.merchant, livemode=caller.livemode)


def refuse_ended(caller: "Caller", merchant: Merchant) -> ApiKey | None:
    """Look again at who calls; return the key, None where the call came without one.

    The merchant is locked: an end that came first has been seen. Raises as `refuse_status`, and
    Unauthorized for a key that has ended: by the clock of now, as it may have been rolled after
    the instant of the request.
    """
    refuse_status(merchant, livemode=caller.livemode)
    key = ApiKey.objects.filter(pk=caller.actor.removeprefix("key:")).first()
    if key is not None and not key.is_active(utc_now()):
        raise Unauthorized(INVALID_KEY)
    return key
