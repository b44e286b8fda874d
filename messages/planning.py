"""Plan a message in the transaction of its cause."""

from datetime import datetime

from django.db.models import F, QuerySet

from core.clock import SKEW
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


def bring_forward(*, now: datetime) -> int:
    """Make due now what was planned for at once with a clock that was ahead; return how many."""
    return planned_ahead(now).update(due_at=now)


def planned_ahead(now: datetime) -> QuerySet[Message]:
    """Return what was planned for at once with a clock that was ahead.

    Found by id, which begins with the time; what is planned for later is not among it.
    """
    ahead = Message.objects.filter(
        pk__gt=new_id("msg", now + SKEW), attempts=0, due_at=F("created_at")
    )
    # Not "is planned", which has an index: of all that is planned for later.
    return ahead.exclude(status=MessageStatus.NOT_NEEDED)
