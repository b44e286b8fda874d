"""A message that one worker has claimed is sent by no other."""

from datetime import datetime

import pytest
from django.core import mail

from messages.models import Message
from messages.send_loop import _claim, send_due_messages
from tests.messages.conftest import plan
from tests.races import at_once


@pytest.mark.django_db
def test_what_another_worker_has_claimed_meanwhile_is_left_to_it(now: datetime) -> None:
    message = plan(now)

    first, second = _claim(message.pk, now), _claim(message.pk, now)

    assert (first, second) == (message, None)
    message.refresh_from_db()
    assert (message.status, message.attempts) == ("sending", 1)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_workers_send_each_message_once(now: datetime) -> None:
    for _ in range(20):
        plan(now)

    sent = at_once([lambda: send_due_messages(now=now)] * 4)

    assert sum(count for count in sent if isinstance(count, int)) == 20
    assert len(mail.outbox) == 20
    assert set(Message.objects.values_list("status", "attempts")) == {("sent", 1)}
