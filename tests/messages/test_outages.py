"""A server that cannot be reached is tried less and less often, and says why in a line."""

import logging
from contextlib import nullcontext
from datetime import datetime, timedelta
from smtplib import SMTPSenderRefused
from unittest import mock

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from pytest_django import Settings

from core.database_clock import database_now
from customers.codes import request_code
from customers.errors import PhoneUnreachable
from customers.models import CodePurpose
from messages import sms
from messages.errors import Fault, MessageNotSent, NumberRefused
from messages.models import Channel, Message, Outage
from messages.outages import LONGEST_WAIT, note_outage
from messages.send_loop import send_due_messages
from tests.messages.conftest import PHONE, Break, plan

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
NO_GATEWAY = MessageNotSent(Fault.UNREACHED, "SMS gateway: ConnectTimeout")


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[Channel]:
    """Let neither server be reached, until the patch is undone, and note each attempt."""
    made: list[Channel] = []

    def refuse(*_: object, **__: object) -> None:
        made.append(Channel.EMAIL)
        raise ConnectionRefusedError(111, "Connection refused")

    def refuse_text(**_: object) -> None:
        made.append(Channel.SMS)
        raise NO_GATEWAY

    monkeypatch.setattr(EmailBackend, "open", refuse)
    monkeypatch.setattr(sms, "send", refuse_text)
    return made


def turns(now: datetime, *, seconds: int) -> datetime:
    """Take a turn every five seconds, as the schedule does; return the last one's instant."""
    for after in range(0, seconds, 5):
        assert send_due_messages(now=now + timedelta(seconds=after)) == 0
    return now + timedelta(seconds=seconds)


def plan_both(now: datetime) -> None:
    for _ in range(3):
        plan(now)
        plan(now, channel=Channel.SMS, recipient=PHONE)


@pytest.mark.parametrize("channel", Channel)
def test_it_is_tried_once_a_turn_and_once_a_minute_in_the_end(
    now: datetime, attempts: list[Channel], channel: Channel, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        plan(now, channel=channel, recipient=PHONE)

    with caplog.at_level(logging.DEBUG):
        turns(now, seconds=600)

    # After 5, 10, 20 and 40 seconds, and then each minute.
    assert len(attempts) == 13
    lines = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
    assert len(lines) == 13
    assert all("message_server_away" in line for line in lines)
    assert not any(each.exc_info for each in caplog.records)


@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        (Channel.EMAIL, "ConnectionRefusedError: [Errno 111] Connection refused"),
        (Channel.SMS, "SMS gateway: ConnectTimeout"),
    ],
)
def test_the_reason_is_kept(
    now: datetime, attempts: list[Channel], channel: Channel, reason: str
) -> None:
    plan_both(now)
    turns(now, seconds=20)

    outage = Outage.objects.get(channel=channel)
    assert (outage.reason, outage.failures, outage.since) == (reason, 3, now)


def test_messages_wait_untouched_and_go_out_when_it_is_back(
    now: datetime, monkeypatch: pytest.MonkeyPatch, attempts: list[Channel]
) -> None:
    plan_both(now)
    later = turns(now, seconds=3_600)
    assert set(Message.objects.values_list("status", "attempts", "due_at")) == {("planned", 0, now)}

    monkeypatch.undo()
    monkeypatch.setattr(sms, "send", lambda **_: None)

    assert send_due_messages(now=later + LONGEST_WAIT) == 6
    assert len(mail.outbox) == 3
    assert not Outage.objects.exists()


def test_one_server_keeps_no_message_of_the_other_waiting(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise NO_GATEWAY

    monkeypatch.setattr(sms, "send", refuse)
    plan_both(now)

    assert send_due_messages(now=now) == 3
    assert list(Outage.objects.values_list("channel", flat=True)) == ["sms"]


def test_a_server_that_refuses_was_reached(now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise MessageNotSent(Fault.TEMPORARY, "SMS gateway: 503")

    note_outage(Channel.SMS, "SMS gateway: ConnectTimeout", now=now - MINUTE)
    monkeypatch.setattr(sms, "send", refuse)
    plan(now, channel=Channel.SMS, recipient=PHONE)

    send_due_messages(now=now)

    assert not Outage.objects.exists()


def test_a_mail_server_that_refuses_us_is_tried_again(now: datetime, break_mail: Break) -> None:
    """What is wrong with our account is wrong with none of the e-mails."""
    message = plan(now)
    break_mail(SMTPSenderRefused(530, b"Authentication required", "us@example.com"))

    send_due_messages(now=now)

    message.refresh_from_db()
    assert (message.status, message.due_at) == ("planned", now + timedelta(minutes=1))
    assert message.last_error == "530 Authentication required"


def test_a_code_that_does_not_reach_the_gateway_is_an_outage(
    now: datetime, settings: Settings
) -> None:
    settings.SMS_URL = "https://user:s3cret@127.0.0.1:9/send?key=hush"

    with pytest.raises(MessageNotSent):
        request_code(
            phone=PHONE, purpose=CodePurpose.SIGN_IN, livemode=True, address="198.51.100.9", now=now
        )

    assert Outage.objects.get().reason == "SMS gateway: ConnectionError (Connection refused)"


@pytest.mark.parametrize("refusal", [None, NumberRefused(Fault.REFUSED, "SMS gateway: 400")])
def test_a_code_that_reaches_the_gateway_ends_the_outage(
    now: datetime, monkeypatch: pytest.MonkeyPatch, refusal: NumberRefused | None
) -> None:
    """Otherwise a gateway that fails once in five minutes would count as away all the time."""
    note_outage(Channel.SMS, "SMS gateway: ConnectTimeout", now=now - 4 * MINUTE)
    monkeypatch.setattr(sms, "send", mock.Mock(side_effect=refusal))

    with pytest.raises(PhoneUnreachable) if refusal else nullcontext():
        request_code(
            phone=PHONE, purpose=CodePurpose.SIGN_IN, livemode=True, address="198.51.100.9", now=now
        )

    assert measured("sms") == 0
    assert not Outage.objects.exists()


def test_codes_that_fail_now_and_then_keep_no_message_waiting(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a gateway's connections a few fail, and strangers request codes all the time."""
    monkeypatch.setattr(sms, "send", lambda **_: None)
    plan(now, channel=Channel.SMS, recipient=PHONE)
    sent = 0
    for after in range(0, 120, 5):
        note_outage(Channel.SMS, "SMS gateway: ConnectTimeout", now=now + timedelta(seconds=after))
        sent += send_due_messages(now=now + timedelta(seconds=after))

    assert sent == 1


def measured(channel: str) -> float:
    text = Client().get("/metrics").text
    [line] = [each for each in text.splitlines() if each.startswith(f"{away_of(channel)} ")]
    return float(line.split()[1])


def away_of(channel: str) -> str:
    return f'messages_server_away_seconds{{channel="{channel}"}}'


def test_it_is_measured_for_how_long_it_has_been_away() -> None:
    now = database_now()  # as when it is measured
    for minutes in (4, 2, 0):
        note_outage(Channel.EMAIL, "refused", now=now - minutes * MINUTE)

    assert 240 <= measured("email") < 300
    assert measured("sms") == 0


def test_what_was_noted_long_ago_says_nothing_about_now() -> None:
    now = database_now()
    note_outage(Channel.SMS, "refused", now=now - 60 * MINUTE)
    assert measured("sms") == 0

    note_outage(Channel.SMS, "refused", now=now)

    assert (Outage.objects.get().since, Outage.objects.get().failures) == (now, 1)
