"""Each message goes out once: after a crash, a refusal, an outage, and with many at work."""

from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db import connection
from pytest_django import Settings

from core.clock import utc_now
from core.task_runs import exclusive_run
from messages import outages, send_loop, sms
from messages.errors import Fault, MessageNotSent
from messages.models import Channel, Message
from messages.send_loop import send_due_messages
from messages.tasks import send_messages
from tests.customers.texts import TextBox
from tests.messages.conftest import ADDRESS, PHONE, Break, plan

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def state() -> tuple[str, int, str]:
    message = Message.objects.get()
    return message.status, message.attempts, message.last_error


def test_it_goes_out_once(now: datetime) -> None:
    message = plan(now)

    assert [send_due_messages(now=now) for _ in range(2)] == [1, 0]

    [sent] = mail.outbox
    assert (sent.to, sent.subject, sent.body) == ([ADDRESS], "Hello", "Good morning.")
    message.refresh_from_db()
    assert (message.status, message.sent_at, message.lease_until) == ("sent", now, None)


def test_a_mail_is_known_again_by_its_message_id(now: datetime, settings: Settings) -> None:
    settings.DEFAULT_FROM_EMAIL = "Payments <pay@shop.example>"
    message = plan(now)

    send_due_messages(now=now)

    assert mail.outbox[0].extra_headers["Message-ID"] == f"<{message.id}@shop.example>"


def test_a_text_is_known_again_by_its_reference(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    references: list[str] = []

    def away(*, to: str, text: str, reference: str) -> None:
        references.append(reference)
        raise MessageNotSent(Fault.TEMPORARY, "The gateway answered 503.")

    monkeypatch.setattr(sms, "send", away)
    message = plan(now, channel=Channel.SMS, recipient=PHONE)

    send_due_messages(now=now)
    send_due_messages(now=now + timedelta(minutes=1))

    assert references == [message.id] * 2


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (SMTPRecipientsRefused({ADDRESS: (550, b"No such user")}), "550 No such user"),
        (SMTPDataError(554, f"<{ADDRESS}> is spam".encode()), "554 <the address> is spam"),
        (SMTPDataError(554, f"{ADDRESS.upper()}: no".encode()), "554 the address: no"),
        (ValueError("Header values can't contain newlines"), "It cannot be written: ValueError"),
    ],
)
def test_a_refused_address_is_not_tried_again(
    now: datetime, break_mail: Break, error: Exception, cause: str
) -> None:
    plan(now)
    break_mail(error)

    for hours in range(3):
        assert send_due_messages(now=now + hours * HOUR) == 0

    assert state() == ("refused", 1, cause)
    assert Message.objects.unsent(now).count() == 1


def test_a_number_that_the_gateway_refuses_is_not_tried_again(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: str) -> None:
        raise MessageNotSent(Fault.REFUSED, "The gateway answered 400.")

    monkeypatch.setattr(sms, "send", refuse)
    plan(now, channel=Channel.SMS, recipient=PHONE)

    for hours in range(3):
        assert send_due_messages(now=now + hours * HOUR) == 0
    assert state() == ("refused", 1, "The gateway answered 400.")


def test_one_process_at_a_time_sends(now: datetime) -> None:
    plan(now)

    with exclusive_run("send messages", now=utc_now()) as is_ours:
        assert (is_ours, send_messages()) == (True, 0)

    assert send_messages() == 1


def test_a_turn_that_takes_too_long_ends_in_the_midst_of_writing(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*_: object) -> None:
        raise SoftTimeLimitExceeded

    plan(now)
    monkeypatch.setattr(send_loop, "content_of", late)

    with pytest.raises(SoftTimeLimitExceeded):
        send_due_messages(now=now)

    assert state() == ("planned", 1, "It was not written in time.")


def test_a_temporary_refusal_is_tried_again_with_growing_waits(
    now: datetime, break_mail: Break
) -> None:
    plan(now)
    break_mail(SMTPRecipientsRefused({ADDRESS: (451, b"Greylisted")}))
    waits = []
    at = now
    for _ in range(5):
        assert send_due_messages(now=at) == 0
        due_at = Message.objects.get().due_at
        waits.append(int((due_at - at).total_seconds()))
        assert send_due_messages(now=due_at - timedelta(seconds=1)) == 0
        at = due_at

    assert waits == [60, 600, 3_600, 21_600, 86_400]
    assert state() == ("planned", 5, "451 Greylisted")
    assert not Message.objects.unsent(at).exists()

    assert send_due_messages(now=at) == 0
    assert state() == ("failed", 6, "451 Greylisted")
    assert send_due_messages(now=at + 1_000 * HOUR) == 0
    assert Message.objects.unsent(at).count() == 1


def test_a_later_attempt_may_succeed(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(now)

    def busy(*_: object) -> int:
        raise SMTPDataError(452, b"Too busy")

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", busy)
        send_due_messages(now=now)

    assert send_due_messages(now=now + timedelta(minutes=1)) == 1
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("Connection unexpectedly closed", "SMTPServerDisconnected"),
        ("Connection unexpectedly closed: timed out", "timed out"),  # as smtplib words it
    ],
)
def test_what_was_perhaps_taken_waits_for_staff(
    now: datetime, break_mail: Break, words: str, cause: str
) -> None:
    plan(now)
    break_mail(SMTPServerDisconnected(words))

    assert [send_due_messages(now=now + hours * HOUR) for hours in range(3)] == [0, 0, 0]

    assert state() == ("failed", 1, f"The connection was lost: {cause}")


@pytest.mark.parametrize(("repeatable", "sent"), [(False, 0), (True, 1)])
def test_one_cut_off_by_a_crash_goes_out_again_only_where_it_may(
    now: datetime, monkeypatch: pytest.MonkeyPatch, *, repeatable: bool, sent: int
) -> None:
    message = plan(now, repeatable=repeatable)

    def die(*_: object) -> int:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", die)
        with pytest.raises(SystemExit):
            send_due_messages(now=now)

    almost, over = now + timedelta(seconds=119), now + timedelta(seconds=120)
    assert send_due_messages(now=almost) == 0
    assert not Message.objects.unsent(almost).exists()
    assert list(Message.objects.unsent(over)) == [message]
    assert send_due_messages(now=over) == sent
    assert len(mail.outbox) == sent


def test_a_crash_cuts_off_no_more_than_one(now: datetime, break_mail: Break) -> None:
    for _ in range(3):
        plan(now)
    break_mail(SystemExit())

    with pytest.raises(SystemExit):
        send_due_messages(now=now)

    assert sorted(Message.objects.values_list("status", flat=True)) == [
        "planned",
        "planned",
        "sending",
    ]


def test_mails_wait_untouched_for_a_server_that_is_away(
    now: datetime, monkeypatch: pytest.MonkeyPatch, texts: TextBox
) -> None:
    plan(now)
    plan(now, channel=Channel.SMS, recipient=PHONE)

    def away(*_: object) -> None:
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "open", away)
        assert [send_due_messages(now=now) for _ in range(20)][:2] == [1, 0]

    assert texts.to == [PHONE]
    assert Message.objects.get(channel=Channel.EMAIL).attempts == 0
    assert send_due_messages(now=now + outages.LONGEST_WAIT) == 1


def test_one_that_cannot_be_written_holds_up_no_other(now: datetime, settings: Settings) -> None:
    settings.MESSAGE_WRITERS = {"receipt": "payments.emails.write"}
    plan(now, text="", kind="receipt", about="pay_missing")
    plan(now + timedelta(milliseconds=1))

    assert send_due_messages(now=now + HOUR) == 1

    broken = Message.objects.get(kind="receipt")
    assert (broken.status, broken.attempts) == ("planned", 1)
    assert broken.last_error == "It could not be written."


def test_a_turn_ends_before_a_slow_server_holds_it_up(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        plan(now)
    monkeypatch.setattr(send_loop, "TURN_SECONDS", -1)

    assert send_due_messages(now=now) == 0
    assert send_due_messages(now=now) == 0

    monkeypatch.undo()
    assert send_due_messages(now=now) == 3


def test_a_late_record_does_not_undo_a_newer_attempt(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sender that was stopped for longer than its lease wakes up and records a failure."""
    plan(now, repeatable=True)

    def overtaken(*_: object) -> int:
        Message.objects.update(attempts=2)  # another has begun
        raise SMTPDataError(550, b"No")

    monkeypatch.setattr(EmailBackend, "send_messages", overtaken)
    send_due_messages(now=now)

    assert state() == ("sending", 2, "")


@pytest.mark.django_db(transaction=True)
def test_nothing_is_held_while_it_is_sent(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    plan(now)
    held: list[bool] = []

    def look(*_: object) -> int:
        held.append(connection.in_atomic_block)
        return 1

    monkeypatch.setattr(EmailBackend, "send_messages", look)

    assert send_due_messages(now=now) == 1
    assert held == [False]
