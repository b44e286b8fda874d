"""Answers that are no answers are refused, whatever the libraries make of them."""

import json
import random
from base64 import urlsafe_b64decode
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from webauthn.helpers import bytes_to_base64url

from core.ids import new_id
from customers.errors import VerificationFailed
from customers.models import Customer, CustomerSession, Passkey
from customers.passkeys import (
    begin_payment_signed_out,
    begin_registration,
    finish_payment_signed_out,
    finish_registration,
)
from customers.services import test_customer
from merchants.models import Merchant
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import AMOUNT, PAYMENT, answer, ask, enrol, proven

pytestmark = pytest.mark.django_db

Parts = dict[str, Any]


@pytest.fixture
def session(tester: Customer, now: datetime) -> CustomerSession:
    return proven(tester, now)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 5_000, "NaN", '{"id":1,"id":2}', "null", "[]", '"text"', "{}", "\ud800"],
)
def test_text_that_is_no_credential(session: CustomerSession, now: datetime, text: str) -> None:
    enrol(session, VirtualAuthenticator(), now)

    with pytest.raises(VerificationFailed):
        answer(session, text, now)
    with pytest.raises(VerificationFailed):
        finish_registration(session=session, credential=text, now=now)


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole | {"id": "other"},
        lambda whole: whole | {"type": "password"},
        lambda whole: whole | {"rawId": 5},
        lambda whole: whole | {"response": None},
        lambda whole: whole | {"response": {}},
        lambda whole: whole | {"padding": "x" * 20_000},
        lambda whole: whole | {"authenticatorAttachment": "cable"},
    ],
)
def test_a_credential_that_is_not_whole(
    session: CustomerSession, now: datetime, change: Callable[[Parts], Parts]
) -> None:
    device = VirtualAuthenticator()
    enrol(session, device, now)
    credential = change(json.loads(device.get(ask(session, now))))

    with pytest.raises(VerificationFailed):
        answer(session, json.dumps(credential), now)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("clientDataJSON", ""),
        ("clientDataJSON", "_w"),  # not UTF-8
        ("clientDataJSON", bytes_to_base64url(b"[" * 9_000)),
        ("clientDataJSON", bytes_to_base64url(b'{"type":1,"challenge":2,"origin":3}')),
        ("authenticatorData", ""),
        ("authenticatorData", "A" * 400),
        ("signature", ""),
        ("signature", "AAAA"),
        ("userHandle", 5),
    ],
)
def test_an_assertion_with_a_broken_part(
    session: CustomerSession, now: datetime, part: str, value: object
) -> None:
    device = VirtualAuthenticator()
    enrol(session, device, now)
    credential = json.loads(device.get(ask(session, now)))
    credential["response"][part] = value

    with pytest.raises(VerificationFailed):
        answer(session, json.dumps(credential), now)


@pytest.mark.parametrize(
    "attestation", ["", "AAAA", "oA", "gA", "_w", "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA"]
)
def test_an_attestation_that_is_none(
    session: CustomerSession, now: datetime, attestation: str
) -> None:
    options = begin_registration(session=session, now=now)
    credential = json.loads(VirtualAuthenticator().create(options))
    credential["response"]["attestationObject"] = attestation

    with pytest.raises(VerificationFailed):
        finish_registration(session=session, credential=json.dumps(credential), now=now)
    assert Passkey.objects.count() == 0


def with_a_flipped_bit(credential: str, part: str, chance: random.Random) -> str:
    whole = json.loads(credential)
    octets = bytearray(urlsafe_b64decode(whole["response"][part] + "==="))
    octets[chance.randrange(len(octets))] ^= 1 << chance.randrange(8)
    whole["response"][part] = bytes_to_base64url(bytes(octets))
    return json.dumps(whole)


@pytest.mark.fuzz
@pytest.mark.parametrize("part", ["clientDataJSON", "authenticatorData", "signature"])
def test_no_bit_of_an_assertion_may_change(
    session: CustomerSession, now: datetime, part: str
) -> None:
    device, chance = VirtualAuthenticator(), random.Random(part)
    enrol(session, device, now)
    for _ in range(60):
        payment_id = new_id("pay", now)
        credential = with_a_flipped_bit(device.get(ask(session, now, payment_id)), part, chance)
        with pytest.raises(VerificationFailed):
            answer(session, credential, now, payment_id)


@pytest.mark.fuzz
def test_a_changed_attestation_is_refused_or_useless(
    session: CustomerSession, now: datetime
) -> None:
    """Without an attestation nothing vouches for the key: a changed one may be kept, and fails."""
    chance = random.Random("attestation")
    for _ in range(60):
        device = VirtualAuthenticator()
        options = begin_registration(session=session, now=now)
        credential = with_a_flipped_bit(device.create(options), "attestationObject", chance)
        try:
            passkey = finish_registration(session=session, credential=credential, now=now)
        except VerificationFailed:
            continue
        assert passkey.customer_id == session.customer_id


def test_the_longest_credential_and_text_that_there_may_be(
    session: CustomerSession, now: datetime
) -> None:
    device = VirtualAuthenticator(credential_id=bytes(range(255)) * 4 + b"abc")
    options = begin_registration(session=session, now=now)
    credential = device.create(options)
    assert len(device.credential_id) == 1_023

    with pytest.raises(VerificationFailed):
        finish_registration(session=session, credential=credential.ljust(16_385), now=now)
    passkey = finish_registration(session=session, credential=credential.ljust(16_384), now=now)

    [excluded] = begin_registration(session=session, now=now)["excludeCredentials"]
    assert excluded["id"] == passkey.credential_id


def test_a_credential_may_keep_its_transports_to_itself(
    session: CustomerSession, now: datetime
) -> None:
    options = begin_registration(session=session, now=now)
    credential = json.loads(VirtualAuthenticator().create(options))
    del credential["response"]["transports"]

    passkey = finish_registration(session=session, credential=json.dumps(credential), now=now)

    assert passkey.transports == []


def test_a_challenge_without_a_session_is_of_one_customer(
    session: CustomerSession, tester: Customer, stranger: Merchant, now: datetime
) -> None:
    owner, thief = VirtualAuthenticator(), VirtualAuthenticator()
    enrol(session, owner, now)
    other = test_customer(None, now, merchant_id=stranger.pk)
    enrol(proven(other, now), thief, now)
    paid: dict[str, Any] = {"payment_id": PAYMENT, "amount": AMOUNT, "now": now}
    options = begin_payment_signed_out(customer=tester, **paid)

    with pytest.raises(VerificationFailed):
        finish_payment_signed_out(customer=other, credential=thief.get(options), **paid)
    signed = owner.get(options)
    Customer.objects.filter(pk=tester.pk).update(frozen_at=now)
    with pytest.raises(VerificationFailed):
        finish_payment_signed_out(customer=tester, credential=signed, **paid)


def test_the_newest_device_is_asked_first(session: CustomerSession, now: datetime) -> None:
    made = [enrol(session, VirtualAuthenticator(), now).credential_id for _ in range(3)]

    asked = [each["id"] for each in ask(session, now)["allowCredentials"]]
    assert asked == made[::-1]
