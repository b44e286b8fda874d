"""Decide on changes that verified merchants request to their public fields."""

from datetime import datetime

from backoffice.audit import AuditAction, audited
from backoffice.errors import MerchantChangedMeanwhile
from backoffice.roles import Right
from backoffice.services.independence import refuse_key_holder, refuse_void_request
from backoffice.services.merchants import digest_of_logo, refuse_unread_logo
from backoffice.staff import Staff
from merchants.evidence import approve_change, decline_change
from merchants.models import MerchantChange

APPROVE, DECLINE = "approve merchant change", "decline merchant change"


def seen_of(change: MerchantChange) -> str:
    """Return what a form states that it displayed: the change, and the logo at its URL."""
    digest = digest_of_logo(change.merchant, change.after.get("logo_url", ""))
    return f"{change.pk} {digest}".strip()


def decide_change(
    *, staff: Staff, seen: str, approve: bool, reason: str, now: datetime
) -> MerchantChange:
    """Approve or decline the change that was displayed.

    Raises Forbidden, MerchantChangeNotFound, MerchantChangeDecided; on approval,
    IndependentApproverRequired for those who may have had a live key of the merchant,
    RequesterNotAuthorized if the key that asked for it has ended or the merchant is suspended,
    MerchantChangedMeanwhile if its logo is another than the one displayed, and LogoNotRead.

    The audit trail keeps both values of every field, whatever the decision.
    """
    change = MerchantChange.objects.select_related("merchant").one(seen.split()[0])
    act = APPROVE if approve else DECLINE
    action = AuditAction(act, Right.VERIFY_MERCHANT, "merchant", change.merchant_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        decide = approve_change if approve else decline_change
        if approve:
            refuse_void_request(asked_by=change.actor, merchant_id=change.merchant_id, now=now)
            refuse_key_holder(decides=staff, merchant_id=change.merchant_id, now=now)
            refuse_unread_logo(change.merchant, change.after.get("logo_url", ""))
            if seen_of(change) != seen:
                raise MerchantChangedMeanwhile
        record.before, record.after = change.before, change.after
        return decide(change_id=change.pk, now=now)
