"""The life of a merchant and of its keys."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from core.clock import iso
from core.errors import ValidationFailed
from core.ids import new_id, random_base62
from merchants.access import EVERYTHING
from merchants.email_confirmation import plan_confirmation
from merchants.errors import ApiKeyNotActive, ApiKeyRolled, SlugTaken
from merchants.evidence import (
    apply_changes,
    refuse_test_caller,
    request_change,
    split_changes,
    tell_of_live_fields,
    warn_of_new_email,
)
from merchants.keys import LAST_CHARACTERS, digest, new_secret, prefix_of
from merchants.known_keys import forget_keys
from merchants.models import MAX_FEE_BASIS_POINTS, SLUG_CHARACTERS, ApiKey, Merchant
from merchants.standing import recheck_caller
from merchants.statuses import MerchantStatus

if TYPE_CHECKING:
    from merchants.callers import Caller

MAX_OVERLAP = timedelta(days=90)
FIRST_KEY_NAME = "First key"
UNNAMED = "merchant"  # if no letter of the name can be used in an address
SLUG_ATTEMPTS = 5
SLUG_SUFFIX_CHARACTERS = 6


class Profile(TypedDict, total=False):
    """The fields that a merchant may set and change itself."""

    name: str
    category: str
    email: str
    phone: str
    description: str
    website: str
    logo_url: str
    support_email: str
    address: str
    business_type: str
    tax_id: str
    brand_color: str
    time_zone: str
    payout_schedule: str


@dataclass(frozen=True)
class IssuedKey:
    """A new key and its secret, which exists nowhere else."""

    key: ApiKey
    secret: str = field(repr=False)


@dataclass(frozen=True)
class Registration:
    """A new merchant and its two first keys."""

    merchant: Merchant
    test: IssuedKey
    live: IssuedKey


@transaction.atomic(savepoint=False)
def create_merchant(
    *,
    now: datetime,
    slug: str | None = None,
    status: MerchantStatus = MerchantStatus.UNVERIFIED,
    fee_basis_points: int = 0,
    network: str = "",
    **profile: Unpack[Profile],
) -> Registration:
    """Register a merchant with one key per mode. Raises SlugTaken for a requested slug.

    `profile` holds at least `name` and `email`; the address must be confirmed, unless the merchant
    is registered as verified. `network` is where the request came from. Serves POST /v1/merchants,
    where the caller chooses neither status nor fee (in basis points).
    """
    merchant = Merchant(
        id=new_id("mer", now),
        slug=slug or "",
        status=status,
        fee_basis_points=fee_basis_points,
        email_confirmed_at=now if status == MerchantStatus.VERIFIED else None,
        verified_at=now if status == MerchantStatus.VERIFIED else None,
        created_at=now,
        updated_at=now,
        **profile,
    )
    if slug:
        _insert(merchant)
    else:
        _insert_with_free_slug(merchant)
    if merchant.email_confirmed_at is None:
        plan_confirmation(merchant, network=network, now=now)
    keys = {
        livemode: issue_key(merchant=merchant, livemode=livemode, name=FIRST_KEY_NAME, now=now)
        for livemode in (False, True)
    }
    return Registration(merchant, test=keys[False], live=keys[True])


@transaction.atomic
def update_merchant(
    *,
    caller: "Caller",
    merchant_id: str,
    now: datetime,
    network: str = "",
    **profile: Unpack[Profile],
) -> Merchant:
    """Change a merchant's own profile. Serves PATCH.

    Public fields of a verified merchant wait for staff. Raises MerchantNotFound, ValidationFailed
    if a test caller names a field that live customers see, RateLimited, and as `recheck_caller`.
    """
    changes: dict[str, Any] = {**profile}
    merchant = Merchant.objects.visible_to(caller).locked(merchant_id)
    recheck_caller(caller, merchant)
    refuse_test_caller(merchant, changes, livemode=caller.livemode)
    at_once = changes
    if merchant.status == MerchantStatus.VERIFIED:
        at_once, public = split_changes(changes)
        if public:
            request_change(merchant, public, actor=caller.actor, now=now)
    warn_of_new_email(merchant, at_once, now=now)
    if caller.livemode:
        tell_of_live_fields(merchant, at_once, now=now)
    apply_changes(merchant, at_once, livemode=caller.livemode, network=network, now=now)
    return merchant


@transaction.atomic
def set_status(*, merchant_id: str, status: MerchantStatus, now: datetime) -> Merchant:
    """Verify, suspend or reinstate. Raises MerchantNotFound, MerchantStatusUnchanged."""
    merchant = Merchant.objects.locked(merchant_id)
    merchant.transition_to(status, now=now)
    forget_keys()
    return merchant


@transaction.atomic
def set_fee(*, merchant_id: str, fee_basis_points: int, now: datetime) -> Merchant:
    """Set the fee (in basis points) of future payments.

    Raises MerchantNotFound, and ValidationFailed for a fee above 100 %.
    """
    if not 0 <= fee_basis_points <= MAX_FEE_BASIS_POINTS:
        raise ValidationFailed(fee_basis_points=f"must be from 0 to {MAX_FEE_BASIS_POINTS}")
    merchant = Merchant.objects.locked(merchant_id)
    merchant.fee_basis_points = fee_basis_points
    merchant.updated_at = now
    merchant.save(update_fields=["fee_basis_points", "updated_at"])
    forget_keys()
    return merchant


def issue_key(
    *,
    merchant: Merchant,
    livemode: bool,
    name: str,
    now: datetime,
    scopes: str = EVERYTHING,
    actor: str | None = None,
    replaces: ApiKey | None = None,
) -> IssuedKey:
    """Issue one more key. The secret is in the result and nowhere else."""
    secret = new_secret(livemode=livemode)
    key = ApiKey.objects.create(
        id=new_id("key", now),
        merchant=merchant,
        livemode=livemode,
        name=name,
        hash=digest(secret),
        prefix=prefix_of(livemode=livemode),
        last_four=secret[-LAST_CHARACTERS:],
        scopes=scopes,
        created_at=now,
        created_by=actor,
        replaces=replaces,
    )
    return IssuedKey(key, secret)


@transaction.atomic
def roll_key(*, key_id: str, overlap: timedelta, now: datetime, actor: str) -> IssuedKey:
    """Replace a key by one of the same mode, name and scopes; the old one works `overlap` longer.

    Locks as `lock_key`. Raises ApiKeyNotFound, ApiKeyNotActive, ApiKeyRolled, and ValidationFailed
    for an overlap that is negative or longer than `MAX_OVERLAP`.
    """
    if not timedelta(0) <= overlap <= MAX_OVERLAP:
        raise ValidationFailed(overlap=f"must be 0 to {MAX_OVERLAP.days} days")
    old = lock_key(key_id)
    refuse_roll(old, now)
    old.expires_at = now + overlap
    old.save(update_fields=["expires_at"])
    forget_keys()
    return issue_key(
        merchant=old.merchant,
        livemode=old.livemode,
        name=old.name,
        scopes=old.scopes,
        now=now,
        actor=actor,
        replaces=old,
    )


@transaction.atomic
def revoke_key(*, key_id: str, now: datetime) -> ApiKey:
    """Revoke a key at once. Locks as `lock_key`. Raises ApiKeyNotFound, ApiKeyNotActive."""
    key = lock_key(key_id)
    _refuse_inactive(key, now)
    key.revoked_at = now
    key.save(update_fields=["revoked_at"])
    forget_keys()
    return key


def lock_key(key_id: str) -> ApiKey:
    """Return a key with its merchant, locking the merchant first. Raises ApiKeyNotFound.

    A key that creates, rolls or revokes another waits for the merchant's lock: a concurrent roll of
    that key, by API or staff, has come first or waits in turn.
    """
    Merchant.objects.locked(ApiKey.objects.one(key_id).merchant_id)
    return ApiKey.objects.select_related("merchant").locked(key_id)


def refuse_roll(key: ApiKey, now: datetime) -> None:
    """Raise ApiKeyNotActive, or ApiKeyRolled if another key has replaced this one.

    Only a roll gives a key an end, and only one successor: each further one would be a key that its
    owner does not know of.
    """
    _refuse_inactive(key, now)
    if key.expires_at is not None:
        rule = f"is {iso(key.expires_at)}, by a roll: roll the key that took its place"
        raise ApiKeyRolled(expires_at=rule)


def _refuse_inactive(key: ApiKey, now: datetime) -> None:
    if key.revoked_at is not None:
        raise ApiKeyNotActive(revoked_at=f"is {iso(key.revoked_at)}")
    if key.expires_at is not None and not key.is_active(now):
        raise ApiKeyNotActive(expires_at=f"is {iso(key.expires_at)}")


def _insert(merchant: Merchant) -> None:
    try:
        with transaction.atomic():
            merchant.save(force_insert=True)
    except IntegrityError:
        if not Merchant.objects.filter(slug=merchant.slug).exists():
            raise
        raise SlugTaken(slug="must be one that no other merchant has") from None


def _insert_with_free_slug(merchant: Merchant) -> None:
    """Try the slug of the name as it is, then with a random suffix, as names may repeat."""
    stem = _stem(merchant.name)
    merchant.slug = stem or _with_random_end(UNNAMED)
    for _ in range(SLUG_ATTEMPTS):
        try:
            return _insert(merchant)
        except SlugTaken:
            merchant.slug = _with_random_end(stem or UNNAMED)
    raise SlugTaken(slug="could not be derived from the name: send one")


def _stem(name: str) -> str:
    longest = SLUG_CHARACTERS - SLUG_SUFFIX_CHARACTERS - 1
    return slugify(name.replace("_", "-"))[:longest].strip("-")


def _with_random_end(stem: str) -> str:
    return f"{stem}-{random_base62(SLUG_SUFFIX_CHARACTERS).lower()}"
