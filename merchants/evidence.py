"""The public fields of a merchant: by them customers recognise whom they pay.

They change by live key or by staff only, and those of a verified merchant once staff have approved:
until then pages, messages and payouts keep the old values. A merchant that has yet to be verified
corrects them with the key that it has. The merchant's e-mail address is one of
them: the warnings go there. What else live customers and payouts go by, `LIVE_FIELDS`, takes the
live key as well, and waits for no one; its owner is told.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, FilteredRelation, Q
from django.template.loader import render_to_string
from django.utils.module_loading import import_string

from core.errors import ValidationFailed
from core.ids import new_id
from merchants.email_confirmation import plan_confirmation
from merchants.known_keys import forget_keys
from merchants.models import Merchant, MerchantChange
from merchants.owner_notices import refuse_unheard, tell_owner
from merchants.statuses import ChangeStatus, MerchantStatus

PUBLIC_FIELDS = (
    *("name", "email", "website", "logo_url", "support_email", "payout_schedule"),
    *("address", "tax_id"),  # who has sold, on each receipt
)
# Customers and payouts of live payments go by these as well: with the live key, and at once.
LIVE_FIELDS = ("category", "phone", "description", "brand_color", "time_zone")
LIVE_KEY_ONLY = "changes with the live key only"
REQUESTED, MADE = "change_requested", "change_made"
SUBJECTS = {
    REQUESTED: "A change of your public details was requested",
    MADE: "Your public details have changed",
}

Changes = Mapping[str, Any]


@dataclass(frozen=True)
class SellerDetails:
    """Where the seller of a sale was, below another name of then; its tax number."""

    address: str
    tax_id: str


def separate(changes: Changes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the changes of fields that no customer sees, and those of public fields."""
    public = {name: value for name, value in changes.items() if name in PUBLIC_FIELDS}
    return {name: changes[name] for name in changes if name not in public}, public


def refuse_test_caller(merchant: Merchant, changes: Changes, *, livemode: bool) -> None:
    """Refuse to change in test mode what live customers meet. Raises ValidationFailed.

    A merchant that waits to be verified may: its test key is the one that works. It sells nothing
    yet, except where unverified merchants may take live payments: there the live key is needed.
    """
    sells_nothing = settings.DEVELOPMENT_MODE or settings.REQUIRE_VERIFIED_MERCHANTS
    is_free = sells_nothing and merchant.status == MerchantStatus.UNVERIFIED
    named = [name for name in changes if name in (*PUBLIC_FIELDS, *LIVE_FIELDS)]
    if named and not livemode and not is_free:
        raise ValidationFailed(**dict.fromkeys(named, LIVE_KEY_ONLY))


def request_change(merchant: Merchant, public: Changes, *, actor: str, now: datetime) -> None:
    """Let a change of the locked merchant's public fields wait for staff, and tell its owner.

    It adds to the change that is pending already; a value that is in force again withdraws its
    field. Raises RateLimited.
    """
    wanted = (merchant.pending_changes or {}) | dict(public)
    after = {name: value for name, value in wanted.items() if value != getattr(merchant, name)}
    if after == (merchant.pending_changes or {}):
        return
    for earlier in MerchantChange.objects.pending().filter(merchant=merchant):
        earlier.transition_to(ChangeStatus.SUPERSEDED, now=now)
    _set_pending(merchant, after, now)
    if after:
        before = {name: getattr(merchant, name) for name in after}
        change = MerchantChange.objects.create(
            id=new_id("chg", now),
            merchant=merchant,
            before=before,
            after=after,
            actor=actor,
            created_at=now,
        )
        refuse_unheard(merchant.id, now=now)
        _warn(REQUESTED, merchant, change, now=now)


@transaction.atomic
def approve_change(*, change_id: str, now: datetime) -> MerchantChange:
    """Put a pending change in force. Raises MerchantChangeNotFound, MerchantChangeDecided."""
    merchant, change = _locked(change_id)
    change.transition_to(ChangeStatus.APPROVED, now=now)
    _warn(MADE, merchant, change, now=now)
    _set_pending(merchant, {}, now)
    apply_changes(merchant, change.after, livemode=True, now=now)
    return change


@transaction.atomic
def decline_change(*, change_id: str, now: datetime) -> MerchantChange:
    """Drop a pending change. Raises MerchantChangeNotFound, MerchantChangeDecided."""
    merchant, change = _locked(change_id)
    change.transition_to(ChangeStatus.DECLINED, now=now)
    _set_pending(merchant, {}, now)
    return change


def seller_at(merchant: Merchant, instant: datetime) -> SellerDetails:
    """Return address and tax number as they were in force at an instant.

    Each change that staff have approved since holds what stood there before it. A merchant that was
    called otherwise has that name above its address.
    """
    since = Q(changes__status=ChangeStatus.APPROVED, changes__decided_at__gt=instant)
    rows = Merchant.objects.annotate(later=FilteredRelation("changes", condition=since))
    rows = rows.filter(pk=merchant.pk).order_by(F("later__decided_at").desc())
    known: dict[str, Any] = {}
    for row in rows.values("later__before", "name", "address", "tax_id"):
        known = row | known | (row["later__before"] or {})
    name = known["name"] if known["name"] != merchant.name else ""
    lines = "\n".join(filter(None, [name, known["address"]]))
    return SellerDetails(lines, known["tax_id"])


def warn_of_new_email(merchant: Merchant, changes: Changes, *, now: datetime) -> None:
    """Tell a confirmed address that is replaced at once: it is warned of nothing any more.

    Raises RateLimited.
    """
    if merchant.email_confirmed_at and changes.get("email", merchant.email) != merchant.email:
        refuse_unheard(merchant.id, now=now)
        text = (
            "This address is replaced, and the notices of your account go to another one.\n"
            "If you did not request this, reply to this e-mail at once:"
            " someone else has your API key."
        )
        tell_owner(merchant, kind=MADE, subject=SUBJECTS[MADE], text=text, now=now)


def tell_of_live_fields(merchant: Merchant, changes: Changes, *, now: datetime) -> None:
    """Tell the owner by name what a live key changes at once. Raises RateLimited.

    Without the values: both may be a thief's, the second time.
    """
    shown = {name: changes[name] for name in LIVE_FIELDS if name in changes}
    names = [name for name, value in shown.items() if value != getattr(merchant, name)]
    if names:
        refuse_unheard(merchant.id, now=now)
        text = (
            f"A live API key has changed: {', '.join(names)}.\n"
            "If you did not request this, reply to this e-mail at once:"
            " someone else has your live key."
        )
        tell_owner(merchant, kind=MADE, subject=SUBJECTS[MADE], text=text, now=now)


def apply_changes(
    merchant: Merchant, changes: Changes, *, livemode: bool, now: datetime, network: str = ""
) -> None:
    """Change the locked merchant, and tell `MERCHANT_UPDATED` what has changed."""
    if not changes:
        return
    changed = [name for name, value in changes.items() if value != getattr(merchant, name)]
    for name, value in changes.items():
        setattr(merchant, name, value)
    if "email" in changed:
        merchant.email_confirmed_at = None
    if "email" in changes and merchant.email_confirmed_at is None:
        plan_confirmation(merchant, network=network, now=now)
    merchant.updated_at = now
    merchant.save(update_fields=[*changes, "email_confirmed_at", "updated_at"])
    forget_keys()
    if changed:
        tell: Callable[..., None] = import_string(settings.MERCHANT_UPDATED)
        tell(merchant, changed=changed, livemode=livemode, now=now)


def _locked(change_id: str) -> tuple[Merchant, MerchantChange]:
    """Lock a change and, before it, its merchant."""
    merchant_id = MerchantChange.objects.one(change_id).merchant_id
    return Merchant.objects.locked(merchant_id), MerchantChange.objects.locked(change_id)


def _set_pending(merchant: Merchant, after: Changes, now: datetime) -> None:
    merchant.pending_changes, merchant.updated_at = dict(after) or None, now
    merchant.save(update_fields=["pending_changes", "updated_at"])
    forget_keys()


def _warn(kind: str, merchant: Merchant, change: MerchantChange, *, now: datetime) -> None:
    """Write to the address that is in force before the change, which may be a thief's."""
    rows = [(name, change.before[name], value) for name, value in change.after.items()]
    context = {"rows": rows, "service_name": settings.SERVICE_NAME}
    text = render_to_string(f"merchants/{kind}.txt", context)
    tell_owner(merchant, kind=kind, subject=SUBJECTS[kind], text=text, now=now)
