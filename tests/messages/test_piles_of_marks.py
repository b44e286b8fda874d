"""Words from before piles of marks were refused, in a mail."""

from datetime import datetime

import pytest
from django.core import mail

from messages.models import Message
from messages.send_loop import send_due_messages
from tests.messages.conftest import plan


@pytest.mark.django_db
def test_a_mail_draws_no_pile_of_marks_over_the_words_around_it(now: datetime) -> None:
    """A merchant's name or an invoice's terms may have one."""
    plan(now)
    Message.objects.update(text="Cake\u0301\u0301" + "\u0323" * 99, subject="Te" + "\u0323" * 99)

    send_due_messages(now=now)

    [sent] = mail.outbox
    assert sent.body == "Cake\u0301\u0301" + "\u0323" * 6
    assert sent.subject == "Te" + "\u0323" * 8
