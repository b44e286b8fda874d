"""A passkey's count must rise, and one answer is good once, however many come at once."""

import logging
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from core.clock import utc_now
from customers.errors import VerificationFailed
from customers.models import Customer, CustomerSession, Passkey
from customers.security_alerts import stop_link
from customers.services import find_or_create
from customers.webauthn import sign_count_regressed, verify_assertion
from messages.models import Channel, Message
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import answer, ask, enrol, proven
from tests.races import at_once

pytestmark = pytest.mark.django_db


def test_the_count_must_rise(
    session: CustomerSession, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    device = VirtualAuthenticator(counter=7)
    passkey = enrol(session, device, now)
    answer(session, device.get(ask(session, now)), now)
    copy = VirtualAuthenticator(key=device.key, credential_id=device.credential_id, counter=2)

    for _ in range(6):  # counts of 3 to 8
        with caplog.at_level(logging.WARNING), pytest.raises(VerificationFailed):
            answer(session, copy.get(ask(session, now)), now)

    passkey.refresh_from_db()
    assert (passkey.sign_count, passkey.copied_at) == (8, now)
    assert f"passkey {passkey.pk} seems to be copied" in caplog.text
    answer(session, device.get(ask(session, now)), now)
    passkey.refresh_from_db()
    assert passkey.sign_count == 9


def test_the_owner_is_told_once_a_day_that_a_passkey_may_have_a_copy(
    session: CustomerSession, now: datetime
) -> None:
    """A thief went on with the copy until its count was the higher one; the owner never heard."""
    Customer.objects.update(email="ada@example.com")
    device = VirtualAuthenticator(counter=7)
    enrol(session, device, now)
    copy = VirtualAuthenticator(key=device.key, credential_id=device.credential_id, counter=2)

    for moment in (now, now, now + timedelta(days=1), now + timedelta(days=1, hours=1)):
        with pytest.raises(VerificationFailed):
            answer(session, copy.get(ask(session, moment)), moment)

    told = Message.objects.filter(kind="passkey_copied").order_by("created_at", "channel")
    assert [(message.channel, message.created_at) for message in told] == [
        (channel, moment)
        for moment in (now, now + timedelta(days=1))
        for channel in (Channel.EMAIL, Channel.SMS)
    ]
    assert all(stop_link(session.customer_id)[:40] in message.text for message in told)


def test_a_count_that_stops_is_refused(session: CustomerSession, now: datetime) -> None:
    device = VirtualAuthenticator(counter=7)
    enrol(session, device, now)
    answer(session, device.get(ask(session, now)), now)
    device.counter = None

    with pytest.raises(VerificationFailed):
        answer(session, device.get(ask(session, now)), now)


def test_a_count_that_another_answer_has_raised_meanwhile_is_refused(
    session: CustomerSession, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before the signature was checked is not what is updated after it."""
    device = VirtualAuthenticator(counter=7)
    passkey = enrol(session, device, now)
    credential = device.get(ask(session, now))

    def raise_meanwhile(*arguments: Any, site: str) -> int:
        Passkey.objects.filter(pk=passkey.pk).update(sign_count=20)
        return verify_assertion(*arguments, site=site)

    monkeypatch.setattr("customers.webauthn.verify_assertion", raise_meanwhile)

    with pytest.raises(VerificationFailed):
        answer(session, credential, now)
    passkey.refresh_from_db()
    assert passkey.sign_count == 20


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_answer_given_many_times_at_once_is_good_once() -> None:
    now = utc_now()
    session = proven(find_or_create(phone="+12423591234", now=now), now)
    device = VirtualAuthenticator()
    enrol(session, device, now)
    credential = device.get(ask(session, now))

    answers = at_once([partial(answer, session, credential, now)] * 12)

    assert sum(isinstance(given, Passkey) for given in answers) == 1
    assert sum(isinstance(given, VerificationFailed) for given in answers) == 11


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_answers_with_one_count_are_good_once() -> None:
    now = utc_now()
    session = proven(find_or_create(phone="+12423591234", now=now), now)
    device = VirtualAuthenticator(counter=7)
    enrol(session, device, now)
    credentials = [device.get(ask(session, now))]
    device.counter = 7
    credentials.append(device.get(ask(session, now)))

    answers = at_once([partial(answer, session, credential, now) for credential in credentials])

    assert sum(isinstance(given, Passkey) for given in answers) == 1
    assert sum(isinstance(given, VerificationFailed) for given in answers) == 1


@pytest.mark.parametrize(
    ("stored", "new", "fell"),
    [(0, 0, False), (0, 1, False), (1, 2, False), (1, 1, True), (2, 1, True), (1, 0, True)],
)
def test_when_a_count_has_not_risen(stored: int, new: int, fell: bool) -> None:
    assert sign_count_regressed(stored, new) is fell


def test_the_first_count_may_be_one(session: CustomerSession, now: datetime) -> None:
    device = VirtualAuthenticator(counter=0)
    passkey = enrol(session, device, now)

    answer(session, device.get(ask(session, now)), now)

    passkey.refresh_from_db()
    assert passkey.sign_count == 1
