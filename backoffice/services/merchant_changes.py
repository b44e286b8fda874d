"""Decide on changes that verified merchants request to their public fields."""

from datetime import datetime

from backoffice.audit import AuditAction, audited
from backoffice.roles import Right
from backoffice.services.independence import refuse_ended_key, refuse_key_holder
from backoffice.staff import Staff
from merchants.evidence import approve_change, decline_change
from merchants.models import MerchantChange

APPROVE, DECLINE = "approve merchant change", "decline merchant change"


def decide_change(
    *, staff: Staff, seen: str, approve: bool, reason: str, now: datetime
) -> MerchantChange:
    """Approve or decline the change that was displayed.

    Raises Forbidden, MerchantChangeNotFound, MerchantChangeDecided; on approval,
    IndependentApproverRequired for those who may have had a live key of the merchant, and
    RequesterNotAuthorized if the key that asked for it has ended.

    The audit trail keeps both values of every field, whatever the decision.
    """
    change = MerchantChange.objects.one(seen)
    act = APPROVE if approve else DECLINE
    action = AuditAction(act, Right.VERIFY_MERCHANT, "merchant", change.merchant_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        decide = approve_change if approve else decline_change
        if approve:
            refuse_ended_key(asked_by=change.actor, merchant_id=change.merchant_id, now=now)
            refuse_key_holder(decides=staff, merchant_id=change.merchant_id, now=now)
        record.before, record.after = change.before, change.after
        return decide(change_id=seen, now=now)
