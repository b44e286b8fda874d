"""What support does for a caller with a payment: cancel it, send its receipt again."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, limit_rate, snapshot
from backoffice.roles import Right
from backoffice.staff import Staff
from payments.emails import plan_receipt_again
from payments.models import Payment
from payments.services import cancel_payment


def cancel(*, staff: Staff, payment_id: str, reason: str, now: datetime) -> Payment:
    """Cancel an open payment. Raises Forbidden, PaymentNotFound, or the error of its status."""
    action = _action("cancel payment", Right.CANCEL, payment_id, reason)
    with audited(staff=staff, action=action, now=now) as record:
        before = Payment.objects.one(payment_id)
        record.before = snapshot(before, "status")
        payment = cancel_payment(
            caller=staff.caller(livemode=before.livemode), payment_id=payment_id, now=now
        )
        record.after = snapshot(payment, "status")
    return payment


def send_receipt(*, staff: Staff, payment_id: str, recipient: str, now: datetime) -> None:
    """Send the receipt of a completed payment, though it may have gone out before.

    Raises Forbidden, ActionLimitReached, PaymentNotFound, PaymentNotCompleted.
    """
    action = _action("send receipt", Right.RECEIPT, payment_id, "")
    with audited(staff=staff, action=action, now=now) as record:
        limit_rate(staff=staff, act=action.act, now=now)
        plan_receipt_again(payment_id=payment_id, recipient=recipient, now=now)
        record.after = {"recipient": masked_address(recipient)}


def masked_address(address: str) -> str:
    """Return an e-mail address as it may be shown: m•••@example.com."""
    name, _, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if host else ""


def _action(act: str, right: Right, payment_id: str, reason: str) -> AuditAction:
    return AuditAction(
        act=act, right=right, subject_type="payment", subject_id=payment_id, reason=reason
    )
