"""The public fields of a merchant, by which customers recognise whom they pay.

They change by live key or by staff only, and a verified merchant's only once staff approve: until
then pages, messages and payouts keep the old values. A merchant that has yet to be verified
corrects them with the key that it has. The e-mail address is one of them: the warnings go there.
`LIVE_FIELDS`, which live customers and payouts rely on as well, also need the live key but change
at once; the owner is told.
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

from core.changes import real_changes
from core.errors import ValidationFailed
from core.ids import new_id
from merchants.email_confirmation import plan_confirmation
from merchants.known_keys import forget_keys
from merchants.models import Merchant, MerchantChange
from merchants.owner_notices import count_notice_or_refuse, tell_owner
from merchants.standing import has_key_ended
from merchants.statuses import ChangeStatus, MerchantStatus

PUBLIC_FIELDS = (
    *("name", "email", "website", "logo_url", "support_email", "payout_schedule"),
    *("address", "tax_id"),  # the seller's, on each receipt
)
# Live customers and payouts rely on these as well: they change by live key, and at once.
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
    """A seller's address as of a sale, under its name then if that has changed; its tax number."""

    address: str
    tax_id: str


def split_changes(changes: Changes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split changes into those of fields that no customer sees and those of public fields."""
    public = {name: value for name, value in changes.items() if name in PUBLIC_FIELDS}
    return {name: changes[name] for name in changes if name not in public}, public


def refuse_test_caller(merchant: Merchant, changes: Changes, *, livemode: bool) -> None:
    """Refuse test-mode changes to what live customers see. Raises ValidationFailed.

    A merchant that waits to be verified is exempt: its test key is the one that works. It sells
    nothing yet, unless unverified merchants may take live payments: then the live key is needed.
    """
    sells_nothing = settings.DEVELOPMENT_MODE or settings.REQUIRE_VERIFIED_MERCHANTS
    is_exempt = sells_nothing and merchant.status == MerchantStatus.UNVERIFIED
    named = [name for name in changes if name in (*PUBLIC_FIELDS, *LIVE_FIELDS)]
    if named and not livemode and not is_exempt:
        raise ValidationFailed(**dict.fromkeys(named, LIVE_KEY_ONLY))


def request_change(merchant: Merchant, public: Changes, *, actor: str, now: datetime) -> None:
    """Hold a change to the locked merchant's public fields for staff, and tell its owner.

    It is merged into the pending change, if any, unless the key that requested that has ended:
    another key must not vouch for it. A field set back to its present value is withdrawn. Raises
    RateLimited.
    """
    earlier = MerchantChange.objects.pending().filter(merchant=merchant).first()
    is_void = earlier is not None and has_key_ended(earlier.actor, now=now)
    wanted = ({} if is_void else merchant.pending_changes or {}) | dict(public)
    after = {name: value for name, value in wanted.items() if value != getattr(merchant, name)}
    if after == (merchant.pending_changes or {}) and not is_void:
        return
    if earlier is not None:
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
        count_notice_or_refuse(merchant.id, now=now)
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
    """Return the address and tax number that were in force at an instant.

    Each change approved since then holds the values before it. If the merchant had another name at
    the time, that name stands above the address.
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
    """Warn a confirmed address that is replaced at once, since it gets no later warning.

    Raises RateLimited.
    """
    if merchant.email_confirmed_at and changes.get("email", merchant.email) != merchant.email:
        count_notice_or_refuse(merchant.id, now=now)
        text = (
            "Your account now has another e-mail address, to which its notices are sent.\n"
            "If you did not request this, reply to this e-mail at once:"
            " someone else has your API key."
        )
        tell_owner(merchant, kind=MADE, subject=SUBJECTS[MADE], text=text, now=now)


def tell_of_live_fields(merchant: Merchant, changes: Changes, *, now: datetime) -> None:
    """Tell the owner which fields a live key changes at once. Raises RateLimited.

    Without the values: the second time, both may be a thief's.
    """
    shown = {name: changes[name] for name in LIVE_FIELDS if name in changes}
    names = [name for name, value in shown.items() if value != getattr(merchant, name)]
    if names:
        count_notice_or_refuse(merchant.id, now=now)
        text = (
            f"These details were changed with a live API key: {', '.join(names)}.\n"
            "If you did not request this, reply to this e-mail at once:"
            " someone else has your live key."
        )
        tell_owner(merchant, kind=MADE, subject=SUBJECTS[MADE], text=text, now=now)


def apply_changes(
    merchant: Merchant, changes: Changes, *, livemode: bool, now: datetime, network: str = ""
) -> None:
    """Change the locked merchant, and report what has changed to `MERCHANT_UPDATED`.

    If no value differs, nothing is written; an unconfirmed e-mail address sent again is mailed.
    """
    changed = real_changes(merchant, changes)
    for name, value in changed.items():
        setattr(merchant, name, value)
    if "email" in changed:
        merchant.email_confirmed_at = None
    if "email" in changes and merchant.email_confirmed_at is None:
        plan_confirmation(merchant, network=network, now=now)
    if not changed:
        return
    merchant.updated_at = now
    merchant.save(update_fields=[*changed, "email_confirmed_at", "updated_at"])
    forget_keys()
    tell: Callable[..., None] = import_string(settings.MERCHANT_UPDATED)
    tell(merchant, changed=list(changed), livemode=livemode, now=now)


def _locked(change_id: str) -> tuple[Merchant, MerchantChange]:
    """Lock a change and, before it, its merchant."""
    merchant_id = MerchantChange.objects.one(change_id).merchant_id
    return Merchant.objects.locked(merchant_id), MerchantChange.objects.locked(change_id)


def _set_pending(merchant: Merchant, after: Changes, now: datetime) -> None:
    merchant.pending_changes, merchant.updated_at = dict(after) or None, now
    merchant.save(update_fields=["pending_changes", "updated_at"])
    forget_keys()


def _warn(kind: str, merchant: Merchant, change: MerchantChange, *, now: datetime) -> None:
    """Write to the address in force before the change, which may be a thief's doing."""
    rows = [(name, change.before[name], value) for name, value in change.after.items()]
    context = {"rows": rows, "service_name": settings.SERVICE_NAME}
    text = render_to_string(f"merchants/{kind}.txt", context)
    tell_owner(merchant, kind=kind, subject=SUBJECTS[kind], text=text, now=now)
