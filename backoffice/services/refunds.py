"""What finance does with a refund that waits for a merchant's balance."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.roles import Right
from backoffice.staff import Staff
from refunds.models import Refund
from refunds.services import fail_refund


def give_up(*, staff: Staff, refund_id: str, reason: str, now: datetime) -> Refund:
    """End a pending refund without giving the money back.

    Raises Forbidden, RefundNotFound, RefundFinal.
    """
    action = AuditAction(
        act="give up refund",
        right=Right.GIVE_UP,
        subject_type="refund",
        subject_id=refund_id,
        reason=reason,
    )
    with audited(staff=staff, action=action, now=now) as record:
        record.before = snapshot(Refund.objects.one(refund_id), "status")
        refund = fail_refund(refund_id=refund_id, reason=reason, actor=staff.actor, now=now)
        record.after = snapshot(refund, "status")
    return refund
