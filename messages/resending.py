"""Send a message again that waits for staff: refused, given up, or interrupted by a crash."""

from datetime import datetime

from messages.models import Message, MessageStatus


def resend_message(*, message_id: str, now: datetime) -> bool:
    """Plan a message again, to the same recipient; False where none waits, or no longer does.

    Its attempts go on counting, so that a sender that wakes up late records nothing of this one.
    """
    waiting = Message.objects.unsent(now).filter(pk=message_id)
    return bool(waiting.update(status=MessageStatus.PLANNED, due_at=now, lease_until=None))
