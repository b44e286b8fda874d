"""Resend a message that waits for staff: refused, given up, or interrupted by a crash."""

from datetime import datetime

from messages.models import Message, MessageStatus


def resend_message(*, message_id: str, now: datetime) -> bool:
    """Plan a message again, to the same recipient; return False if it is not waiting.

    Its count of attempts goes on, so a process that wakes up late records nothing for this one.
    """
    waiting = Message.objects.unsent(now).filter(pk=message_id)
    return bool(waiting.update(status=MessageStatus.PLANNED, due_at=now, lease_until=None))
