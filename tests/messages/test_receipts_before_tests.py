"""What strangers test, by keys that anyone has for the asking, holds up no one's receipt."""

from datetime import datetime, timedelta

import pytest
from django.core import mail

from messages import send_loop
from messages.send_loop import send_due_messages
from tests.messages.conftest import ADDRESS, plan

pytestmark = pytest.mark.django_db


def test_a_receipt_waits_for_no_test(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of tests makes as many due at once as a stranger has planned in a day."""
    monkeypatch.setattr(send_loop, "BATCH", 3)
    for number in range(3):
        earlier = now - timedelta(minutes=1)
        plan(earlier, kind="alert", livemode=False, merchant_id="mer_1", key=f"test {number}")
    plan(now)

    assert send_due_messages(now=now) == 1

    assert [sent.to for sent in mail.outbox] == [[ADDRESS]]
