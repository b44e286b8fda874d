"""Plan a message in the transaction of its cause."""

from datetime import datetime

from core.ids import new_id
from messages.models import Channel, Message, MessageStatus


def plan_message(
    *,
    channel: Channel,
    kind: str,
    recipient: str,
    about: str,
    livemode: bool,
    now: datetime,
    merchant_id: str = "",
    due_at: datetime | None = None,
    language: str = "",
    subject: str = "",
    text: str = "",
    key: str = "",
    repeatable: bool = False,
    is_needed: bool = True,
) -> None:
    """Plan a message for `due_at`, or at once; a second one with the same `key` is dropped.

    In test mode it goes to the merchant `merchant_id`, whatever `recipient` says, or nowhere.
    Without `text`, its kind must have a writer in `MESSAGE_WRITERS`. `repeatable`: after a crash it
    is sent again, though it may arrive twice. One that is not `is_needed` is recorded but not sent.
    """
    message_id = new_id("msg", now)
    message = Message(
        id=message_id,
        channel=channel,
        kind=kind,
        recipient=recipient,
        about=about,
        merchant_id=merchant_id,
        livemode=livemode,
        due_at=due_at or now,
        language=language,
        subject=subject,
        text=text,
        key=key or message_id,
        repeatable=repeatable,
        status=MessageStatus.PLANNED if is_needed else MessageStatus.NOT_NEEDED,
        created_at=now,
    )
    Message.objects.bulk_create([message], ignore_conflicts=True)
