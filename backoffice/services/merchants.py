"""What staff do with merchants: verify them, set their fee, and issue their keys.

A fee and a live key take two people; the key is collected once.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from backoffice.audit import AuditAction, audited, last_done, snapshot
from backoffice.errors import (
    Forbidden,
    InstructionDecided,
    LogoNotRead,
    MerchantChangedMeanwhile,
    SecretNotThere,
)
from backoffice.formats import percent
from backoffice.models import AuditEntry, Instruction
from backoffice.roles import Right
from backoffice.staff import Staff
from checkout.logo_rows import picture_at
from core.json import dump_json
from core.sealed import seal, unseal
from merchants.callers import Caller
from merchants.evidence import LIVE_FIELDS, PUBLIC_FIELDS
from merchants.key_notices import tell_of_new_key, tell_of_revoked_key, tell_of_rolled_key
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import reset_notice_count, tell_owner
from merchants.services import IssuedKey, issue_key, revoke_key, roll_key, set_fee, set_status
from merchants.statuses import MerchantStatus
from payments.emails import reset_invoice_count
from payments.pay_requests import reset_request_count
from webhooks.event_types import EventType
from webhooks.models import Event

VERIFIED = "verify merchant"  # in the audit trail
MOST_CHANGES = 500
COLLECTABLE_FOR = timedelta(days=7)
UNREAD = "unread"


def details_of(merchant: Merchant) -> dict[str, str]:
    """Return the details that staff check before they verify a merchant."""
    return {name: getattr(merchant, name) for name in ("slug", *PUBLIC_FIELDS, *LIVE_FIELDS)}


def verification_of(merchant_id: str) -> AuditEntry | None:
    return last_done(VERIFIED, merchant_id)


def changed_since_verified(merchant: Merchant) -> dict[str, datetime]:
    """Return when each field last changed since the verification, or ever if there was none.

    All fields count as changed if there are too many changes to read, because those could hide one.
    """
    verified = verification_of(merchant.pk)
    updates = Event.objects.filter(
        merchant=merchant,
        livemode__in=(True, False),
        type=EventType.MERCHANT_UPDATED,
        created_at__gt=verified.at if verified else merchant.created_at,
        is_test=False,
    ).order_by("-created_at")[: MOST_CHANGES + 1]
    if len(updates) > MOST_CHANGES:
        return dict.fromkeys(details_of(merchant), updates[0].created_at)
    return {
        name: update.created_at
        for update in reversed(updates)
        for name in update.content["data"]["changed"]
    }


def digest_of_logo(merchant: Merchant, url: str) -> str:
    """Return the digest of what was read at a logo URL: empty if that is no image."""
    if not url:
        return ""
    picture = picture_at(merchant, url)
    return UNREAD if picture is None else picture.digest


def refuse_unread_logo(merchant: Merchant, url: str) -> None:
    """Raise LogoNotRead while no one can have seen what a logo URL leads to."""
    if digest_of_logo(merchant, url) == UNREAD:
        raise LogoNotRead


def digest_of_details(merchant: Merchant) -> str:
    """Return a digest of details, logo and confirmation, by which a form states what it showed."""
    logo = digest_of_logo(merchant, merchant.logo_url)
    is_confirmed = merchant.email_confirmed_at is not None
    shown = details_of(merchant) | {"logo": logo, "is_email_confirmed": is_confirmed}
    return hashlib.sha256(dump_json(shown)).hexdigest()


@transaction.atomic
def verify_merchant(*, merchant_id: str, seen: str, now: datetime) -> Merchant:
    """Let a merchant accept live payments under the details that were displayed.

    Until then its test key can change them, up to the last second. Raises MerchantNotFound,
    MerchantChangedMeanwhile, LogoNotRead, MerchantStatusUnchanged.
    """
    merchant = Merchant.objects.locked(merchant_id)
    if digest_of_details(merchant) != seen:
        raise MerchantChangedMeanwhile
    refuse_unread_logo(merchant, merchant.logo_url)
    return set_status(merchant_id=merchant_id, status=MerchantStatus.VERIFIED, now=now)


def add_test_key(
    *, staff: Staff, merchant_id: str, name: str, reason: str, now: datetime
) -> IssuedKey:
    """Issue another test key. Raises Forbidden, MerchantNotFound."""
    action = AuditAction("issue key", Right.KEYS, "merchant", merchant_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        issued = _issue(merchant_id, livemode=False, name=name, actor=staff.actor, now=now)
        record.after = _state(issued.key)
    return issued


def replace_test_key(
    *, staff: Staff, key_id: str, overlap: timedelta, reason: str, now: datetime
) -> IssuedKey:
    """Roll a test key. Raises Forbidden, and as `roll_key` does."""
    action = AuditAction("roll key", Right.KEYS, "apikey", key_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        before = ApiKey.objects.filter(livemode=False).select_related("merchant").one(key_id)
        record.before = _state(before)
        issued = _roll(before, overlap, staff.actor, now)
        record.after = _state(ApiKey.objects.one(key_id)) | {"replaced_by": issued.key.pk}
    return issued


def issue_live_key(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Issue the key, and keep its secret for the requester to collect."""
    name = instruction.arguments["name"]
    issued = _issue(instruction.subject_id, livemode=True, name=name, actor=caller.actor, now=now)
    return _seal(instruction, issued)


def roll_live_key(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Roll the key, and keep the new secret for the requester to collect."""
    overlap = timedelta(hours=instruction.arguments["overlap_hours"])
    live = ApiKey.objects.filter(livemode=True).select_related("merchant")
    key = live.one(instruction.subject_id)
    return _seal(instruction, _roll(key, overlap, caller.actor, now))


def collect_key(*, staff: Staff, instruction_id: str, now: datetime) -> str:
    """Return the secret of a live key to the requester, once.

    Raises Forbidden for anyone else, and SecretNotThere if it was collected or has been deleted.
    """
    action = AuditAction("collect key", Right.LIVE_KEYS, "instruction", instruction_id)
    with audited(staff=staff, action=action, now=now) as record:
        instruction = Instruction.objects.locked(instruction_id)
        if instruction.asked_by_id != staff.user_id:
            raise Forbidden("Only the requester can collect the key.")
        if not instruction.sealed_result:
            raise SecretNotThere
        secret = unseal(instruction, "sealed_result")
        instruction.sealed_result = ""
        instruction.save(update_fields=["sealed_result"])
        record.after = {"collected": instruction.result_id}
    return secret


def forget_uncollected(*, now: datetime) -> int:
    """Delete the secrets that no one collected in time; return how many."""
    kept = Instruction.objects.exclude(sealed_result="")
    return kept.filter(decided_at__lte=now - COLLECTABLE_FOR).update(sealed_result="")


@transaction.atomic
def end_key(*, key_id: str, now: datetime) -> ApiKey:
    """Revoke a key at once, and notify the merchant. Raises ApiKeyNotFound, ApiKeyNotActive."""
    key = revoke_key(key_id=key_id, now=now)
    tell_of_revoked_key(key, now=now)
    if key.livemode:
        _reset_counts(key.merchant_id)
    return key


def change_fee(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Set the fee of future payments, and notify the merchant.

    Raises as `set_fee` does, and InstructionDecided if the fee to be replaced is no longer in
    force.
    """
    asked = instruction.arguments
    before = Merchant.objects.locked(instruction.subject_id).fee_basis_points
    if before != asked["present_fee_basis_points"]:
        raise InstructionDecided(
            f"The fee has since become {percent(before)}: decline this, and submit a new request."
        )
    merchant = set_fee(
        merchant_id=instruction.subject_id, fee_basis_points=asked["fee_basis_points"], now=now
    )
    tell_owner(
        merchant,
        kind="fee",
        subject="your fee",
        text=f"The fee on your payments has changed from {percent(before)} to"
        f" {percent(merchant.fee_basis_points)}.\n"
        "If you did not agree to this, reply to this e-mail at once.",
        now=now,
    )
    return merchant.pk


def right_to_keys(livemode: bool) -> Right:
    """Return the right required to hold a merchant's new key: a live one refunds and pays out."""
    return Right.LIVE_KEYS if livemode else Right.KEYS


def _issue(merchant_id: str, *, livemode: bool, name: str, actor: str, now: datetime) -> IssuedKey:
    merchant = Merchant.objects.locked(merchant_id)
    issued = issue_key(merchant=merchant, livemode=livemode, name=name, now=now, actor=actor)
    tell_of_new_key(issued.key, now=now)
    return issued


def _roll(before: ApiKey, overlap: timedelta, actor: str, now: datetime) -> IssuedKey:
    issued = roll_key(key_id=before.pk, overlap=overlap, now=now, actor=actor)
    tell_of_rolled_key(before, issued.key, now=now)
    return issued


def _seal(instruction: Instruction, issued: IssuedKey) -> str:
    _reset_counts(issued.key.merchant_id)
    seal(instruction, "sealed_result", issued.secret)
    return issued.key.pk


def _reset_counts(merchant_id: str) -> None:
    """Give back to a merchant what a thief of its live key may have used up."""
    reset_notice_count(merchant_id)
    reset_invoice_count(merchant_id)
    reset_request_count(merchant_id)


def _state(key: ApiKey) -> dict[str, Any]:
    return snapshot(key, "id", "hint", "expires_at", "revoked_at")
