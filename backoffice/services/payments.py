"""What support does for a caller with a payment: send its receipt again."""

from datetime import datetime

from backoffice.audit import AuditAction, audited
from backoffice.roles import Right
from backoffice.staff import Staff
from payments.emails import plan_receipt_again


def send_receipt(*, staff: Staff, payment_id: str, recipient: str, now: datetime) -> None:
    """Send the receipt of a completed payment, though it may have gone out before.

    Raises Forbidden, ActionLimitReached, PaymentNotFound, PaymentNotCompleted.
    """
    action = AuditAction("send receipt", Right.RECEIPT, "payment", payment_id, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        plan_receipt_again(payment_id=payment_id, recipient=recipient, now=now)
        record.after = {"recipient": masked_address(recipient)}


def masked_address(address: str) -> str:
    """Return an e-mail address as it may be shown: m•••@example.com."""
    name, _, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if host else ""
