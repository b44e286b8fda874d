"""A passkey agrees to one payment of one amount, once, on our own page, its user verified."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from pytest_django import Settings
from webauthn.helpers import base64url_to_bytes

from customers.errors import PasskeyMissing, VerificationFailed
from customers.models import Customer, CustomerSession, Passkey, PasskeyChallenge
from customers.passkey_removal import revoke_passkey
from customers.passkeys import begin_confirmation, finish_confirmation
from customers.services import find_or_create
from customers.sessions import start_session
from tests.customers.authenticator import USER_PRESENT, USER_VERIFIED, VirtualAuthenticator
from tests.customers.enrolment import (
    AMOUNT,
    OTHER_PAYMENT,
    PAYMENT,
    answer,
    ask,
    enrol,
    proven,
)

pytestmark = pytest.mark.django_db

FIVE_MINUTES = timedelta(minutes=5)


def test_it_agrees_to_a_payment(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    approved = answer(session, device.get(ask(session, now)), now)

    passkey = Passkey.objects.get()
    assert approved == passkey
    assert passkey.last_used_at == now


def test_the_browser_is_asked_for_a_verified_user(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    options = ask(session, now)

    assert options == {
        "rpId": "testserver",
        "challenge": PasskeyChallenge.objects.get(payment_id=PAYMENT).challenge,
        "timeout": 300_000,
        "userVerification": "required",
        "allowCredentials": [
            {
                "id": Passkey.objects.get().credential_id,
                "type": "public-key",
                "transports": ["internal", "hybrid"],
            }
        ],
    }
    assert len(base64url_to_bytes(options["challenge"])) == 32
    assert ask(session, now)["challenge"] != options["challenge"]


@pytest.mark.parametrize("change", [{"amount": None}, {"amount": 0}, {"payment_id": ""}])
def test_the_database_refuses_a_challenge_that_is_bound_to_nothing(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime, change: dict[str, Any]
) -> None:
    ask(session, now)

    with pytest.raises(IntegrityError), transaction.atomic():
        PasskeyChallenge.objects.filter(payment_id=PAYMENT).update(**change)


def test_a_replay_is_refused(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    credential = device.get(ask(session, now))
    answer(session, credential, now)

    with pytest.raises(VerificationFailed) as refusal:
        answer(session, credential, now)
    assert (refusal.value.status, refusal.value.code) == (422, "VERIFICATION_FAILED")


@pytest.mark.parametrize(
    "other", [{"payment_id": OTHER_PAYMENT}, {"amount": AMOUNT + 1}, {"amount": AMOUNT - 1}]
)
def test_it_is_good_for_that_payment_and_amount_only(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime, other: dict[str, Any]
) -> None:
    credential = device.get(ask(session, now))

    with pytest.raises(VerificationFailed):
        answer(session, credential, now, **other)

    answer(session, credential, now)  # what it is good for, it still is


def test_a_challenge_that_is_not_ours_is_refused_though_another_is_open(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    made_up = ask(session, now) | {"challenge": "A" * 43}

    with pytest.raises(VerificationFailed):
        answer(session, device.get(made_up), now)


def test_it_is_good_for_that_customer_only(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    other = proven(find_or_create(phone="+12423595678", now=now), now)
    enrol(other, VirtualAuthenticator(), now)
    credential = device.get(ask(session, now))
    with pytest.raises(VerificationFailed):
        answer(other, credential, now)

    # another customer's device answers a challenge that is rightly the thief's own
    with pytest.raises(VerificationFailed):
        answer(other, device.get(ask(other, now)), now)


def test_it_is_good_in_that_session_only(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    elsewhere = start_session(customer=session.customer, now=now).session
    credential = device.get(ask(session, now))

    with pytest.raises(VerificationFailed):
        answer(elsewhere, credential, now)


def test_it_is_good_for_that_purpose_only(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    with pytest.raises(VerificationFailed):
        answer(session, device.get(begin_confirmation(session=session, now=now)), now)
    credential = device.get(ask(session, now))
    with pytest.raises(VerificationFailed):
        finish_confirmation(session=session, credential=credential, now=now)

    session.refresh_from_db()
    assert session.passkey_verified_at is None


def test_it_expires_after_five_minutes(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    credential = device.get(ask(session, now))

    with pytest.raises(VerificationFailed):
        answer(session, credential, now + FIVE_MINUTES)

    answer(session, credential, now + FIVE_MINUTES - timedelta(milliseconds=1))


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://testserver"},
        {"origin": "http://testserver:8000"},
        {"origin": "http://evil.example"},
        {"origin": "http://testserver.evil.example"},
        {"origin": "null"},
        {"rp_id": "evil.example"},
        {"rp_id": "server"},
        {"cross_origin": True},
        {"flags": USER_PRESENT},
        {"flags": USER_VERIFIED},
        {"flags": 0},
        {"user_handle": b"cus_somebody_else"},
        {"key": VirtualAuthenticator().key},
        {"credential_id": b"unknown"},
    ],
)
def test_every_lie_is_refused_and_uses_the_challenge_up(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime, lie: dict[str, Any]
) -> None:
    options = ask(session, now)
    truth = {name: getattr(device, name) for name in lie}
    vars(device).update(lie)
    with pytest.raises(VerificationFailed):
        answer(session, device.get(options), now)

    vars(device).update(truth)
    if "cross_origin" not in lie:  # that is refused before its challenge is looked at
        with pytest.raises(VerificationFailed):
            answer(session, device.get(options), now)
    answer(session, device.get(ask(session, now)), now)


def test_it_may_name_its_user(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    device.user_handle = session.customer_id.encode()

    answer(session, device.get(ask(session, now)), now)


def test_without_a_passkey_there_is_nothing_to_ask(payer: Customer, now: datetime) -> None:
    with pytest.raises(PasskeyMissing):
        ask(proven(payer, now), now)


def test_a_passkey_that_was_removed_agrees_to_nothing(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    credential = device.get(ask(session, now))
    revoke_passkey(passkey_id=Passkey.objects.get().pk, now=now)

    with pytest.raises(VerificationFailed):
        answer(session, credential, now)
    with pytest.raises(PasskeyMissing):
        ask(session, now)


def test_a_challenge_is_used_up_for_good(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    credential = device.get(ask(session, now))
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        answer(session, credential, now)


@pytest.mark.parametrize(
    ("url", "rp_id", "origin"),
    [
        ("https://pay.example", "pay.example", "https://pay.example"),
        ("https://pay.example:443/", "pay.example", "https://pay.example"),
        ("https://Pay.Example:8443", "pay.example", "https://pay.example:8443"),
        ("http://localhost:8000", "localhost", "http://localhost:8000"),
    ],
)
def test_the_origin_is_that_of_the_checkout(
    session: CustomerSession,
    now: datetime,
    settings: Settings,
    url: str,
    rp_id: str,
    origin: str,
) -> None:
    settings.CHECKOUT_URL = url
    device = VirtualAuthenticator(rp_id=rp_id, origin=origin)
    enrol(session, device, now)

    answer(session, device.get(ask(session, now)), now)
