"""What a session begins with, and what it replaces."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from customers.codes import request_code
from customers.errors import ProofMethod
from customers.models import SESSION_IDLE, CodePurpose, Customer, CustomerSession
from customers.pins import needs_passkey_to_reset, replace_pin
from customers.sessions import (
    end_session,
    find_session,
    is_proven_by_code_only,
    live_customer_of,
    remember_proof,
    set_message_language,
    sign_in,
    start_session,
)
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.guessing import ADDRESS
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db


def test_it_lives_for_twelve_hours(payer: Customer, now: datetime) -> None:
    assert start_session(customer=payer, now=now).session.expires_at == now + timedelta(hours=12)


def test_one_that_cannot_be_opened_ends_no_other(
    payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = start_session(customer=payer, now=now)

    def fail(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(CustomerSession.objects, "create", fail)
    with pytest.raises(MemoryError):
        start_session(customer=payer, now=now, replaces=opened.token)

    assert find_session(opened.token, livemode=True, now=now) == opened.session


def test_the_language_of_the_page_is_kept(
    texts: TextBox, payer: Customer, tester: Customer, now: datetime
) -> None:
    handle = request_code(
        phone=payer.phone,
        livemode=True,
        purpose=CodePurpose.SIGN_IN,
        address=ADDRESS,
        now=now,
    )
    later = now + timedelta(minutes=1)

    signed_in = sign_in(handle=handle, code=texts.code, now=later, language="fr")

    payer.refresh_from_db()
    tester.refresh_from_db()
    assert (payer.language, payer.updated_at) == ("fr", later)
    assert (signed_in.session.customer.language, tester.language) == ("fr", "")


@pytest.mark.parametrize("proof", [ProofMethod.PIN, ProofMethod.PASSKEY])
def test_a_code_alone_does_not_choose_in_which_language_an_owner_is_warned(
    texts: TextBox, holder: Customer, now: datetime, proof: ProofMethod
) -> None:
    later = now + timedelta(days=2)
    handle = request_code(
        phone=holder.phone, livemode=True, purpose=CodePurpose.SIGN_IN, address=ADDRESS, now=later
    )
    session = sign_in(handle=handle, code=texts.code, now=later, language="ht").session
    set_message_language(session, "ht", now=later)
    assert Customer.objects.get().language == ""

    remember_proof(session, proof, now=later)
    set_message_language(session, "ht", now=later)
    assert Customer.objects.get().language == "ht"


def test_a_pin_that_a_code_has_just_set_does_not_choose_the_language(
    holder: Customer, now: datetime
) -> None:
    later = now + timedelta(days=2)
    session = start_session(customer=holder, now=later).session
    replace_pin(holder, "7351", now=later, session_id=session.pk, is_new_proof=True)
    remember_proof(session, ProofMethod.PIN, now=later)
    session.customer.refresh_from_db()

    set_message_language(session, "ht", now=later)

    assert Customer.objects.get().language == ""


def test_a_page_without_a_language_takes_none_away(
    texts: TextBox, payer: Customer, now: datetime
) -> None:
    Customer.objects.update(language="fr")
    handle = request_code(
        phone=payer.phone, livemode=True, purpose=CodePurpose.SIGN_IN, address=ADDRESS, now=now
    )

    session = sign_in(handle=handle, code=texts.code, now=now).session

    assert (session.customer.language, session.code_verified_at) == ("fr", now)


def test_what_a_passkey_has_opened_has_proved_no_phone(payer: Customer, now: datetime) -> None:
    passkey = enrol(proven(payer, now), VirtualAuthenticator(), now)
    session = start_session(
        customer=payer, now=now, passkey_id=passkey.pk, payment_id="pay_1"
    ).session

    assert (session.code_verified_at, session.payment_id) == (None, "pay_1")
    assert (session.created_at, session.last_seen_at, session.livemode) == (now, now, True)


def test_a_frozen_customer_has_no_session(payer: Customer, now: datetime) -> None:
    token = start_session(customer=payer, now=now).token
    found = find_session(token, livemode=True, now=now + timedelta(minutes=5))
    assert found
    assert found.last_seen_at == now + timedelta(minutes=5)
    Customer.objects.update(frozen_at=now)

    assert find_session(token, livemode=True, now=now) is None


def test_a_token_names_its_customer_while_the_session_is_open(
    payer: Customer, now: datetime
) -> None:
    token = start_session(customer=payer, now=now).token
    last = now + SESSION_IDLE - timedelta(seconds=1)
    assert [live_customer_of(token, now=at) for at in (now, last)] == [payer.pk, payer.pk]
    assert live_customer_of("x", now=now) == ""
    assert live_customer_of(token, now=now + SESSION_IDLE) == ""
    CustomerSession.objects.update(last_seen_at=now + timedelta(hours=12))
    assert live_customer_of(token, now=now + timedelta(hours=12)) == ""
    Customer.objects.update(frozen_at=now)
    assert live_customer_of(token, now=now) == ""
    Customer.objects.update(frozen_at=None)
    end_session(token, now=now)
    assert live_customer_of(token, now=now) == ""


@pytest.mark.parametrize(
    ("shown", "alone"),
    [
        ({"code"}, True),
        ({"code", "pin"}, False),
        ({"code", "passkey"}, False),
        (set(), False),
    ],
)
@pytest.mark.usefixtures("device")
def test_who_has_shown_nothing_but_a_code(
    payer: Customer, session: CustomerSession, now: datetime, shown: set[str], alone: bool
) -> None:
    for proof in ProofMethod:
        setattr(session, f"{proof}_verified_at", now if proof in shown else None)
    assert is_proven_by_code_only(session) is alone

    session.livemode = False
    assert not is_proven_by_code_only(session)
    session.livemode = True
    payer.passkeys.usable().remove(now)
    assert is_proven_by_code_only(session) is alone


@pytest.mark.parametrize(
    ("had", "alone"),
    [
        ({}, False),
        ({"pin_hash": "set"}, True),
        ({"proof_changed_at": datetime(2026, 1, 1, tzinfo=UTC)}, True),
    ],
)
def test_a_code_alone_is_little_once_there_was_a_pin(
    session: CustomerSession, had: dict[str, Any], alone: bool
) -> None:
    vars(session.customer).update(had)
    session.pin_verified_at = None

    assert is_proven_by_code_only(session) is alone


def test_a_passkey_shown_ten_minutes_ago_or_elsewhere_resets_no_pin(
    session: CustomerSession, now: datetime
) -> None:
    assert not needs_passkey_to_reset(session, now=now)
    enrol(session, VirtualAuthenticator(), now)
    assert needs_passkey_to_reset(session, now=now)
    remember_proof(session, ProofMethod.PASSKEY, now=now)

    elsewhere = start_session(customer=session.customer, now=now).session
    ten = now + timedelta(minutes=10)
    asked = [(session, ten - timedelta(milliseconds=1)), (session, ten), (elsewhere, now)]
    assert [needs_passkey_to_reset(one, now=at) for one, at in asked] == [False, True, True]
    session.customer.livemode = False
    assert not needs_passkey_to_reset(session, now=ten)
