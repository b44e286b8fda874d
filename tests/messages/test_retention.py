"""What was told to people is deleted when its period is over, and what is to be told is not."""

from datetime import datetime, timedelta

import pytest

from core.retention import PERIODS
from messages.models import Channel, Message, MessageStatus
from messages.planning import plan_message
from messages.retention import delete_old_messages
from messages.tasks import forget_messages

pytestmark = pytest.mark.django_db
PERIOD = PERIODS["messages"]


def plan(now: datetime, *, status: MessageStatus, due_at: datetime | None = None) -> Message:
    plan_message(
        channel=Channel.SMS, kind="pin_changed", recipient="+12423591234", about="cus_1",
        livemode=True, text="A text", due_at=due_at, now=now,
    )  # fmt: skip
    message = Message.objects.get(kind="pin_changed")
    sent_at = now if status == MessageStatus.SENT else None
    Message.objects.filter(pk=message.pk).update(kind="planned", status=status, sent_at=sent_at)
    return message


@pytest.mark.parametrize(
    "status",
    [
        MessageStatus.SENT, MessageStatus.REFUSED, MessageStatus.FAILED, MessageStatus.NOT_NEEDED,
    ],
)  # fmt: skip
def test_it_deletes_a_message_when_its_period_is_over(now: datetime, status: MessageStatus) -> None:
    plan(now, status=status)

    assert delete_old_messages(now=now + PERIOD) == 0
    assert delete_old_messages(now=now + PERIOD + timedelta(seconds=1)) == 1
    assert not Message.objects.exists()


def test_what_is_still_to_be_sent_stays(now: datetime) -> None:
    late = plan(now - 2 * PERIOD, status=MessageStatus.PLANNED, due_at=now)
    recent = plan(now - 2 * PERIOD, status=MessageStatus.SENT, due_at=now - timedelta(days=1))

    assert forget_messages() == 0
    assert set(Message.objects.all()) == {late, recent}
