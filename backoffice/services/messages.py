"""Send a message again that was refused, given up, or interrupted."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.errors import MessageNotWaiting
from backoffice.roles import Right
from backoffice.staff import Staff
from messages.models import Message
from messages.resending import resend_message


def send_message_again(*, staff: Staff, message: Message, now: datetime) -> None:
    """Send a message again. Raises Forbidden, ActionLimitReached, MessageNotWaiting."""
    act = "send message again"
    action = AuditAction(act, Right.MESSAGE, "message", message.pk, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        record.before = snapshot(message, "status")
        if not resend_message(message_id=message.pk, now=now):
            raise MessageNotWaiting
        message.refresh_from_db()
        record.after = snapshot(message, "status")
