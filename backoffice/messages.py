"""Send what the acts of staff have written to someone, once, outside of any transaction."""

import logging
from datetime import datetime

from django.core.mail import EmailMessage

from backoffice.models import Channel, Message
from core.errors import ApiError
from messages import sms

BATCH = 50

logger = logging.getLogger(__name__)


def send_due_messages(*, now: datetime) -> int:
    """Send what waits; return how many went out."""
    waiting = Message.objects.filter(claimed_at=None).order_by("created_at")
    return sum(_send(pk, now) for pk in list(waiting.values_list("pk", flat=True)[:BATCH]))


def _send(message_id: int, now: datetime) -> bool:
    mine = Message.objects.filter(pk=message_id, claimed_at=None)
    if not mine.update(claimed_at=now):
        return False
    message = Message.objects.get(pk=message_id)
    try:
        if message.channel == Channel.SMS:
            sms.send(to=message.recipient, text=message.text)
        else:
            EmailMessage(message.subject, message.text, to=[message.recipient]).send()
    except (ApiError, OSError):
        logger.exception("message not sent", extra={"about_id": message.about_id})
        Message.objects.filter(pk=message_id).update(failed_at=now)
        return False
    Message.objects.filter(pk=message_id).update(sent_at=now)
    return True
