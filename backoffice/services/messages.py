"""Send a message again that was refused, given up, or interrupted."""

from datetime import datetime

from backoffice.audit import AuditAction, audited, limit_rate, snapshot
from backoffice.errors import MessageNotWaiting
from backoffice.roles import Right
from backoffice.staff import Staff
from messages.models import Message
from messages.resending import resend_message


def send_message_again(*, staff: Staff, message: Message, now: datetime) -> None:
    """Send a message again. Raises Forbidden, ActionLimitReached, MessageNotWaiting."""
    action = AuditAction(
        act="send message again", right=Right.MESSAGE, subject_type="message", subject_id=message.pk
    )
    with audited(staff=staff, action=action, now=now) as record:
        limit_rate(staff=staff, act=action.act, now=now)
        record.before = snapshot(message, "status")
        if not resend_message(message_id=message.pk, now=now):
            raise MessageNotWaiting
        message.refresh_from_db()
        record.after = snapshot(message, "status")
