"""Delete the messages that were sent or given up long ago, with their addresses and texts."""

from datetime import datetime

from core.ids import new_id
from core.retention import PERIODS, delete_all
from messages.models import Message, MessageStatus

_STILL_TO_SEND = (MessageStatus.PLANNED, MessageStatus.SENDING)


def delete_old_messages(*, now: datetime) -> int:
    """Delete what was planned and due before the retention period; return how many.

    Ids rise with time, so no later rows are read.
    """
    before = now - PERIODS["messages"]
    old = Message.objects.filter(pk__lt=new_id("msg", before), due_at__lt=before)
    return delete_all(old.exclude(status__in=_STILL_TO_SEND), order_by="pk")
