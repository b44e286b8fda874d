"""What support does for a caller with a payment: send its receipt again."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, limit_rate
from backoffice.roles import Right
from backoffice.staff import Staff
from payments.emails import plan_receipt_again


def send_receipt(*, staff: Staff, payment_id: str, recipient: str, now: datetime) -> None:
    """Send the receipt of a completed payment, though it may have gone out before.

    Raises Forbidden, ActionLimitReached, PaymentNotFound, PaymentNotCompleted.
    """
    action = AuditAction(
        act="send receipt", right=Right.RECEIPT, subject_type="payment", subject_id=payment_id
    )
    with audited(staff=staff, action=action, now=now) as record:
        limit_rate(staff=staff, act=action.act, now=now)
        plan_receipt_again(payment_id=payment_id, recipient=recipient, now=now)
        record.after = {"recipient": masked_address(recipient)}


def masked_address(address: str) -> str:
    """Return an e-mail address as it may be shown: m•••@example.com."""
    name, _, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if host else ""
