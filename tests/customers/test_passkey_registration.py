"""Adding and removing passkeys: what has to be proven first, and what may be kept."""

from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import pytest

from customers import passkeys
from customers.errors import (
    PasskeyNotFound,
    ProofMethod,
    ProofNeeded,
    TooManyPasskeys,
    VerificationFailed,
)
from customers.models import Customer, CustomerSession, Passkey, PasskeyChallenge
from customers.passkey_removal import remove_passkey, revoke_passkey
from customers.passkeys import (
    begin_confirmation,
    begin_registration,
    finish_confirmation,
    finish_registration,
)
from customers.services import find_or_create
from customers.sessions import proof_needed, prove_pin, remember_proof, set_first_pin, start_session
from tests.customers.authenticator import USER_PRESENT, VirtualAuthenticator
from tests.customers.enrolment import answer, ask, enrol, proven
from tests.customers.guessing import ADDRESS, PIN, check

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many_changes")]

TEN_MINUTES = timedelta(minutes=10)


def confirm(session: CustomerSession, device: VirtualAuthenticator, now: datetime) -> None:
    options = begin_confirmation(session=session, now=now)
    finish_confirmation(session=session, credential=device.get(options), now=now)


def test_it_keeps_what_the_device_has_made(session: CustomerSession, now: datetime) -> None:
    device = VirtualAuthenticator(counter=3)
    options = begin_registration(session=session, now=now)
    passkey = finish_registration(
        session=session, credential=device.create(options), now=now, name="My phone"
    )

    passkey.refresh_from_db()
    assert passkey.customer_id == session.customer_id
    assert (passkey.name, passkey.sign_count, passkey.is_synced) == ("My phone", 3, True)
    assert (passkey.transports, passkey.created_at) == (["internal", "hybrid"], now)
    assert (passkey.last_used_at, passkey.removed_at) == (None, None)
    assert passkey.aaguid == "00000000-0000-0000-0000-000000000000"


def test_one_that_the_customer_cannot_be_told_of_is_not_kept(
    session: CustomerSession, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passkeys, "plan_notice", mock.Mock(side_effect=ValueError("no notice")))

    with pytest.raises(ValueError, match="no notice"):
        enrol(session, VirtualAuthenticator(), now)

    assert not Passkey.objects.exists()


def test_the_browser_is_asked_for_a_verified_user(session: CustomerSession, now: datetime) -> None:
    options = begin_registration(session=session, now=now)

    assert options["rp"] == {"id": "testserver", "name": "Payments"}
    assert options["user"]["name"] == "+12423591234"
    assert options["challenge"] == PasskeyChallenge.objects.get().challenge
    assert options["attestation"] == "none"
    assert options["timeout"] == 300_000
    assert options["excludeCredentials"] == []
    assert options["authenticatorSelection"] == {
        "residentKey": "preferred",
        "requireResidentKey": False,
        "userVerification": "required",
    }


def test_a_device_that_has_one_is_excluded(tester: Customer, now: datetime) -> None:
    session = proven(tester, now)
    passkey = enrol(session, VirtualAuthenticator(), now)

    [excluded] = begin_registration(session=session, now=now)["excludeCredentials"]
    assert excluded["id"] == passkey.credential_id


def test_the_first_one_takes_a_fresh_code_and_the_pin(holder: Customer, now: datetime) -> None:
    later = now + TEN_MINUTES
    session = start_session(customer=holder, now=now).session
    assert proof_needed(session, now=now) == ProofMethod.PIN
    with pytest.raises(ProofNeeded) as refusal:
        begin_registration(session=session, now=now)
    assert refusal.value.proof == ProofMethod.PIN
    assert (refusal.value.code, refusal.value.details) == ("VERIFICATION_FAILED", "needed: pin")

    prove_pin(session=session, pin=PIN, address=ADDRESS, now=now)
    assert proof_needed(session, now=now) is None
    assert proof_needed(session, now=later - timedelta(milliseconds=1)) is None

    assert proof_needed(session, now=later) == ProofMethod.CODE
    remember_proof(session, ProofMethod.CODE, now=later)
    assert proof_needed(session, now=later) == ProofMethod.PIN
    with pytest.raises(ProofNeeded):
        begin_registration(session=session, now=later)


def test_a_pin_that_was_just_set_is_proven(payer: Customer, now: datetime) -> None:
    session = start_session(customer=payer, now=now).session

    set_first_pin(session=session, pin=PIN, now=now)

    enrol(session, VirtualAuthenticator(), now)


def test_paying_with_the_pin_opens_nothing(holder: Customer, now: datetime) -> None:
    session = start_session(customer=holder, now=now).session
    check(holder, PIN, now)

    session.refresh_from_db()
    assert proof_needed(session, now=now) == ProofMethod.PIN


def test_proof_may_not_grow_old_meanwhile(session: CustomerSession, now: datetime) -> None:
    later = now + TEN_MINUTES - timedelta(minutes=1)
    credential = VirtualAuthenticator().create(begin_registration(session=session, now=later))

    with pytest.raises(ProofNeeded):
        finish_registration(session=session, credential=credential, now=now + TEN_MINUTES)


def test_a_second_one_takes_the_first(session: CustomerSession, now: datetime) -> None:
    first = VirtualAuthenticator()
    enrol(session, first, now)

    with pytest.raises(ProofNeeded) as refusal:
        begin_registration(session=session, now=now)
    assert refusal.value.proof == ProofMethod.PASSKEY

    answer(session, first.get(ask(session, now)), now)  # a payment is no such proof
    assert proof_needed(session, now=now) == ProofMethod.PASSKEY

    confirm(session, first, now)
    enrol(session, VirtualAuthenticator(), now)
    assert Passkey.objects.count() == 2
    assert proof_needed(session, now=now + TEN_MINUTES) == ProofMethod.PASSKEY


def test_in_test_mode_code_and_pin_always_do(tester: Customer, now: datetime) -> None:
    session = proven(tester, now)
    enrol(session, VirtualAuthenticator(), now)

    enrol(session, VirtualAuthenticator(), now)

    assert tester.passkeys.usable().count() == 2


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://testserver"},
        {"origin": "http://evil.example"},
        {"rp_id": "evil.example"},
        {"cross_origin": True},
        {"flags": USER_PRESENT},
        {"flags": 0},
        {"credential_id": b""},
        {"credential_id": bytes(1_024)},
    ],
)
def test_every_lie_is_refused(session: CustomerSession, now: datetime, lie: dict[str, Any]) -> None:
    with pytest.raises(VerificationFailed):
        enrol(session, VirtualAuthenticator(**lie), now)

    assert Passkey.objects.count() == 0


def test_a_challenge_is_good_once(tester: Customer, now: datetime) -> None:
    session = proven(tester, now)
    options = begin_registration(session=session, now=now)
    finish_registration(session=session, credential=VirtualAuthenticator().create(options), now=now)

    with pytest.raises(VerificationFailed):
        finish_registration(
            session=session, credential=VirtualAuthenticator().create(options), now=now
        )
    assert Passkey.objects.count() == 1


def test_a_challenge_is_good_for_five_minutes(session: CustomerSession, now: datetime) -> None:
    credential = VirtualAuthenticator().create(begin_registration(session=session, now=now))

    with pytest.raises(VerificationFailed):
        finish_registration(session=session, credential=credential, now=now + timedelta(minutes=5))


def test_a_challenge_is_good_for_its_customer_only(
    session: CustomerSession, tester: Customer, now: datetime
) -> None:
    credential = VirtualAuthenticator().create(begin_registration(session=session, now=now))

    with pytest.raises(VerificationFailed):
        finish_registration(session=proven(tester, now), credential=credential, now=now)


def test_a_challenge_for_anything_else_registers_nothing(tester: Customer, now: datetime) -> None:
    session = proven(tester, now)
    enrol(session, VirtualAuthenticator(), now)
    for options in (ask(session, now), begin_confirmation(session=session, now=now)):
        credential = VirtualAuthenticator().create(options)

        with pytest.raises(VerificationFailed):
            finish_registration(session=session, credential=credential, now=now)


def test_a_credential_belongs_to_one_customer(
    session: CustomerSession, tester: Customer, now: datetime
) -> None:
    device = VirtualAuthenticator()
    enrol(session, device, now)

    with pytest.raises(VerificationFailed):
        enrol(proven(tester, now), device, now)
    assert Passkey.objects.get().customer_id == session.customer_id


def test_a_live_customer_has_at_most_twenty(session: CustomerSession, now: datetime) -> None:
    device = VirtualAuthenticator()
    enrol(session, device, now)
    confirm(session, device, now)
    for _ in range(19):
        enrol(session, VirtualAuthenticator(), now)

    with pytest.raises(TooManyPasskeys):
        begin_registration(session=session, now=now)


def test_a_test_customer_keeps_the_newest_twenty(tester: Customer, now: datetime) -> None:
    session = proven(tester, now)
    made = [enrol(session, VirtualAuthenticator(), now) for _ in range(22)]

    usable = tester.passkeys.usable().order_by("id")
    assert list(usable) == made[2:]


def test_a_customer_removes_one_after_showing_one(session: CustomerSession, now: datetime) -> None:
    device = VirtualAuthenticator()
    passkey = enrol(session, device, now)
    with pytest.raises(ProofNeeded):
        remove_passkey(session=session, passkey_id=passkey.pk, now=now)
    confirm(session, device, now)

    remove_passkey(session=session, passkey_id=passkey.pk, now=now)

    passkey.refresh_from_db()
    assert passkey.removed_at == now
    with pytest.raises(PasskeyNotFound):
        remove_passkey(session=session, passkey_id=passkey.pk, now=now)


def test_a_stranger_removes_nothing(session: CustomerSession, now: datetime) -> None:
    passkey = enrol(session, VirtualAuthenticator(), now)
    stranger = proven(find_or_create(phone="+12423595678", now=now), now)

    with pytest.raises(PasskeyNotFound) as refusal:
        remove_passkey(session=stranger, passkey_id=passkey.pk, now=now)

    assert refusal.value.status == 404
    passkey.refresh_from_db()
    assert passkey.removed_at is None


def test_staff_remove_any_and_a_first_one_may_follow(
    session: CustomerSession, now: datetime
) -> None:
    passkey = enrol(session, VirtualAuthenticator(), now)

    revoke_passkey(passkey_id=passkey.pk, now=now)

    with pytest.raises(PasskeyNotFound):
        revoke_passkey(passkey_id=passkey.pk, now=now)
    again = proven(session.customer, now)
    assert proof_needed(again, now=now) is None
    enrol(again, VirtualAuthenticator(), now)


def test_it_removes_the_one_that_is_named(session: CustomerSession, now: datetime) -> None:
    first, second = VirtualAuthenticator(), VirtualAuthenticator()
    kept = enrol(session, first, now)
    confirm(session, first, now)
    removed = enrol(session, second, now)

    remove_passkey(session=session, passkey_id=removed.pk, now=now)

    kept.refresh_from_db()
    removed.refresh_from_db()
    assert (kept.removed_at, removed.removed_at) == (None, now)
