"""What a merchant does with its API keys through the API: create, roll and revoke them.

It takes an unrestricted key, as a key that creates others could choose their scopes. An
unrestricted live key comes from the registration, from staff, or by replacing another. A key that
was rolled ends soon: it creates none that outlive it, and ends no other.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from core.errors import ValidationFailed
from merchants.access import EVERYTHING
from merchants.callers import Caller
from merchants.errors import ApiKeyRolled, TooManyKeys
from merchants.key_notices import tell_of_new_key, tell_of_revoked_key, tell_of_rolled_key
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import count_notice, count_notice_or_refuse, count_replacement
from merchants.services import IssuedKey, issue_key, lock_key, revoke_key, roll_key
from merchants.standing import recheck_caller

MOST_ACTIVE = 50


@dataclass(frozen=True, kw_only=True)
class KeyDraft:
    """A key to be created. `livemode` None: the mode of the key that creates it."""

    name: str
    scopes: tuple[str, ...] = (EVERYTHING,)
    livemode: bool | None = None


@transaction.atomic
def create_own_key(*, caller: Caller, draft: KeyDraft, now: datetime) -> IssuedKey:
    """Create another key (POST /v1/api-keys); the owner is told of a live one.

    A test key creates test keys only, and a live key no unrestricted live one. Raises
    ValidationFailed, TooManyKeys from `MOST_ACTIVE` of one mode on, RateLimited, and as
    `_refuse_late`.
    """
    livemode = caller.livemode if draft.livemode is None else draft.livemode
    if livemode:
        _refuse_live(caller, draft)
    merchant = Merchant.objects.locked(caller.owner.id)
    _refuse_late(caller, merchant)
    _refuse_too_many(merchant, livemode, now)
    scopes = " ".join(draft.scopes)
    issued = issue_key(
        merchant=merchant,
        livemode=livemode,
        name=draft.name,
        scopes=scopes,
        now=now,
        actor=caller.actor,
    )
    if livemode:
        count_notice_or_refuse(merchant.id, now=now)
        tell_of_new_key(issued.key, now=now)
    return issued


@transaction.atomic
def roll_own_key(*, caller: Caller, key_id: str, overlap: timedelta, now: datetime) -> IssuedKey:
    """Replace a key of the caller's mode (POST /v1/api-keys/:id/roll).

    A key may always replace itself at once: that is how its owner ends a stolen one. Raises as
    `roll_key`, TooManyKeys and RateLimited as `create_own_key`, and as `_refuse_late`.
    """
    before = _own(caller, key_id)
    _refuse_late(caller, before.merchant, acts_on=key_id)
    if overlap:
        _refuse_too_many(before.merchant, before.livemode, now)
    issued = roll_key(key_id=key_id, overlap=overlap, now=now, actor=caller.actor)
    if before.livemode and _count_roll(caller, before, overlap, now):
        tell_of_rolled_key(before, issued.key, now=now)
    return issued


@transaction.atomic
def revoke_own_key(*, caller: Caller, key_id: str, now: datetime) -> ApiKey:
    """End a key of the caller's mode at once (POST /v1/api-keys/:id/revoke), the caller's own too.

    Raises ApiKeyNotFound, ApiKeyNotActive, and as `_refuse_late`.
    """
    _refuse_late(caller, _own(caller, key_id).merchant, acts_on=key_id)
    key = revoke_key(key_id=key_id, now=now)
    if key.livemode and count_notice(key.merchant_id, of=key.id, now=now):
        tell_of_revoked_key(key, now=now)
    return key


def _count_roll(caller: Caller, rolled: ApiKey, overlap: timedelta, now: datetime) -> bool:
    """Count a roll; return whether to tell the owner. Raises RateLimited if that is required."""
    if not overlap and caller.actor == rolled.actor:
        return count_replacement(rolled.merchant_id, now=now)
    count_notice_or_refuse(rolled.merchant_id, now=now)
    return True


def _refuse_late(caller: Caller, merchant: Merchant, *, acts_on: str = "") -> None:
    """Check the caller again: a thief would otherwise keep what the end of a key takes away.

    Raises as `recheck_caller`, and ApiKeyRolled for a key that was rolled, unless it `acts_on`
    itself.
    """
    key = recheck_caller(caller, merchant)
    if key is not None and key.expires_at is not None and key.id != acts_on:
        raise ApiKeyRolled(api_key="must be the one that took the place of this one")


def _own(caller: Caller, key_id: str) -> ApiKey:
    """Return a key of the caller's, locked after its merchant."""
    return lock_key(ApiKey.objects.visible_to(caller).one(key_id).pk)


def _refuse_live(caller: Caller, draft: KeyDraft) -> None:
    if not caller.livemode:
        raise ValidationFailed(livemode="must be false: a test key makes test keys only")
    if EVERYTHING in draft.scopes:
        rule = "must be given: a live key that may do everything comes from staff, or by rolling"
        raise ValidationFailed(scopes=rule)


def _refuse_too_many(merchant: Merchant, livemode: bool, now: datetime) -> None:
    keys = ApiKey.objects.active(now).filter(merchant=merchant, livemode=livemode)
    if keys.count() >= MOST_ACTIVE:
        raise TooManyKeys(api_keys=f"must be {MOST_ACTIVE} at most: revoke those not in use")
