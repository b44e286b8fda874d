"""A message is planned with the facts: it stands or falls with their transaction."""

from datetime import datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from config.waiting_work import may_find_work
from core.clock import SKEW
from core.ids import is_id
from messages.models import Channel, Message
from messages.planning import bring_forward
from messages.send_loop import send_due_messages
from messages.tasks import send_messages
from tests.customers.texts import TextBox
from tests.messages.conftest import PHONE, plan

pytestmark = pytest.mark.django_db


def test_it_waits_until_it_is_due(now: datetime, mailoutbox) -> None:
    message = plan(now, due_at=now + timedelta(hours=1))
    assert (message.status, message.attempts) == ("planned", 0)
    assert is_id("msg", message.id)

    assert send_due_messages(now=now + timedelta(minutes=59)) == 0
    assert send_due_messages(now=now + timedelta(hours=1)) == 1
    assert [mail.to for mail in mailoutbox] == [["ann@example.com"]]


def test_one_planned_with_a_clock_ahead_is_sent_now(now: datetime, mailoutbox) -> None:
    ahead = now + timedelta(hours=2)
    plan(ahead)

    assert may_find_work("send messages", now=now)
    assert send_messages() == 1
    assert not may_find_work("send messages", now=now)
    assert len(mailoutbox) == 1


def test_one_planned_for_later_waits_also_if_the_clock_was_ahead(now: datetime) -> None:
    ahead = now + timedelta(hours=2)
    later = plan(ahead, due_at=ahead + timedelta(days=1))
    retried = plan(ahead)
    Message.objects.filter(pk=retried.pk).update(attempts=1)
    soon = plan(now + SKEW - timedelta(seconds=1))
    recorded = plan(ahead, is_needed=False)

    assert bring_forward(now=now) == 0

    for message in (later, retried, soon, recorded):
        before = message.due_at
        message.refresh_from_db()
        assert message.due_at == before


def test_of_one_key_there_is_one_message(now: datetime) -> None:
    for _ in range(3):
        plan(now, key="mer_1:hello")
    plan(now, key="mer_2:hello")

    assert sorted(Message.objects.values_list("key", flat=True)) == ["mer_1:hello", "mer_2:hello"]


def test_without_a_key_each_is_a_message_of_its_own(now: datetime) -> None:
    plan(now)
    plan(now)

    assert Message.objects.count() == 2


def test_it_goes_with_the_transaction_that_is_undone(now: datetime) -> None:
    with transaction.atomic():
        plan(now)
        transaction.set_rollback(True)

    assert Message.objects.count() == 0


def test_a_text_message_has_no_subject(now: datetime, texts: TextBox) -> None:
    plan(now, channel=Channel.SMS, recipient=PHONE, subject="", text="Hello.")

    assert send_due_messages(now=now) == 1
    assert (texts.to, texts.texts) == ([PHONE], ["Hello."])


@pytest.mark.parametrize(
    "change",
    [
        {"status": "delivered"},
        {"status": "sent"},
        {"status": "sending"},
        {"sent_at": datetime.fromisoformat("2026-11-21T12:00:00Z")},
    ],
)
def test_the_database_refuses_what_cannot_be(now: datetime, change: dict[str, object]) -> None:
    message = plan(now)

    with pytest.raises(IntegrityError), transaction.atomic():
        Message.objects.filter(pk=message.pk).update(**change)
