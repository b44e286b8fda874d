"""Encoded words: the mail library decodes those of addresses, mailboxes those of subjects."""

from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default

import pytest
from django.core.mail.backends.smtp import EmailBackend

from core.mailboxes import mailbox_of
from messages import send_loop
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.messages.conftest import plan

pytestmark = pytest.mark.django_db


class MailServer:
    """A connection to a mail server, which notes to whom it is told to deliver."""

    def __init__(self) -> None:
        self.recipients: list[str] = []
        self.subjects: list[str] = []

    def sendmail(self, _sender: str, recipients: list[str], message: bytes) -> None:
        self.recipients += recipients
        self.subjects.append(message_from_bytes(message, policy=default)["subject"])

    def quit(self) -> None:
        """Hang up."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> MailServer:
    server, backend = MailServer(), EmailBackend()
    backend.connection = server  # type: ignore[assignment]  # what is called of it
    monkeypatch.setattr(send_loop, "get_connection", lambda: backend)
    return server


@pytest.mark.parametrize("written", ["=?utf-8?q?=61nn?=@example.com", "=?x?b?YW5u?=@example.com"])
def test_it_counts_as_the_mailbox_to_which_the_server_delivers_it(
    now: datetime, server: MailServer, written: str
) -> None:
    """Each spelling had a count of its own: one mailbox got as many e-mails as there are."""
    plan(now, recipient=written)

    send_due_messages(now=now)

    assert server.recipients == ["ann@example.com"]
    assert mailbox_of(written) == mailbox_of("ann@example.com")


def test_one_that_cannot_be_decoded_is_not_tried_again(now: datetime, server: MailServer) -> None:
    """It waited for staff, and left an error in the log at each attempt."""
    message = plan(now, recipient="=?utf-8?q??=@example.com")

    for hours in range(3):
        assert send_due_messages(now=now + timedelta(hours=hours)) == 0

    message.refresh_from_db()
    assert (message.status, message.attempts) == ("refused", 1)
    assert message.last_error == "It cannot be written: IndexError"
    assert Message.objects.unsent(now).count() == 1
    assert server.recipients == []


def test_a_subject_is_read_as_staff_have_seen_the_name_in_it(
    now: datetime, server: MailServer
) -> None:
    """A merchant's name was decoded by its reader's program, into letters that no name may have."""
    message = plan(now)
    word = "=?utf-8?q?Bank_of_=E2=80=AEeht?="
    Message.objects.filter(pk=message.pk).update(subject=f"Payment to {word}")

    send_due_messages(now=now)

    assert server.subjects == ["Payment to = ?utf-8?q?Bank_of_=E2=80=AEeht?="]
