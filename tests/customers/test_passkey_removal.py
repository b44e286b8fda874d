"""Removing a passkey signs the customer's other devices out, and what has ended changes none."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from customers import passkey_sign_in
from customers.errors import PasskeyNotFound, ProofMethod, VerificationFailed
from customers.models import Customer, CustomerQuerySet, CustomerSession, Passkey
from customers.passkey_removal import remove_passkey, revoke_passkey
from customers.passkey_sign_in import sign_in_to_account
from customers.passkeys import (
    begin_registration,
    begin_sign_in,
    finish_registration,
    finish_sign_in,
)
from customers.sessions import remember_proof
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import proven
from tests.factories import PasskeyFactory

pytestmark = pytest.mark.django_db


def shown(customer: Customer, now: datetime) -> CustomerSession:
    """Sign the customer in on one more device, with a passkey just shown."""
    session = proven(customer, now)
    remember_proof(session, ProofMethod.PASSKEY, now=now)
    return session


def still_open(customer: Customer) -> list[int]:
    return list(customer.sessions.filter(ended_at=None).order_by("pk").values_list("pk", flat=True))


@pytest.fixture
def ended_meanwhile(monkeypatch: pytest.MonkeyPatch, now: datetime) -> Callable[[int], None]:
    """Let a session end while its request waits for the customer's lock."""

    def end_while_waiting(session_id: int) -> None:
        locked = CustomerQuerySet.locked

        def locked_after(rows: CustomerQuerySet, pk: str) -> Customer:
            CustomerSession.objects.filter(pk=session_id).update(ended_at=now)
            return locked(rows, pk)

        monkeypatch.setattr(CustomerQuerySet, "locked", locked_after)

    return end_while_waiting


@pytest.mark.usefixtures("device")
def test_it_signs_out_the_lost_laptop_whose_passkey_is_removed(
    session: CustomerSession, tester: Customer, now: datetime
) -> None:
    owner = session.customer
    shown(owner, now)
    stranger, mine = proven(tester, now), shown(owner, now)
    remove_passkey(session=mine, passkey_id=owner.passkeys.get().pk, now=now)

    assert still_open(owner) == [mine.pk]
    assert still_open(tester) == [stranger.pk]


@pytest.mark.usefixtures("device")
def test_staff_who_remove_one_sign_the_customer_out_everywhere(
    session: CustomerSession, tester: Customer, now: datetime
) -> None:
    shown(session.customer, now)
    stranger = proven(tester, now)
    revoke_passkey(passkey_id=session.customer.passkeys.get().pk, now=now)

    assert still_open(session.customer) == []
    assert still_open(tester) == [stranger.pk]


@pytest.mark.usefixtures("device")
def test_a_session_that_has_ended_meanwhile_removes_none(
    session: CustomerSession, now: datetime, ended_meanwhile: Callable[[int], None]
) -> None:
    thief, owner = shown(session.customer, now), session.customer
    ended_meanwhile(thief.pk)

    with pytest.raises(VerificationFailed):
        remove_passkey(session=thief, passkey_id=owner.passkeys.get().pk, now=now)

    assert owner.passkeys.usable().exists()
    assert session.pk in still_open(owner)


@pytest.mark.usefixtures("device")
def test_a_session_that_has_ended_meanwhile_adds_none(
    session: CustomerSession, now: datetime, ended_meanwhile: Callable[[int], None]
) -> None:
    thief = shown(session.customer, now)
    credential = VirtualAuthenticator().create(begin_registration(session=thief, now=now))
    ended_meanwhile(thief.pk)

    with pytest.raises(VerificationFailed):
        finish_registration(session=thief, credential=credential, now=now)

    assert session.customer.passkeys.count() == 1


def test_staff_remove_none_that_is_not_there(now: datetime) -> None:
    with pytest.raises(PasskeyNotFound):
        revoke_passkey(passkey_id=404, now=now)


def test_no_session_opens_by_one_that_is_removed_just_then(
    device: VirtualAuthenticator,
    session: CustomerSession,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A script on the lost laptop signed in again and again: its last session stayed."""
    owner = session.customer
    PasskeyFactory()  # of another customer, which stays
    options = begin_sign_in(customer=owner, now=now)

    def removed_meanwhile(**wanted: Any) -> Passkey:
        passkey = finish_sign_in(**wanted)
        revoke_passkey(passkey_id=passkey.pk, now=now)
        return passkey

    monkeypatch.setattr(passkey_sign_in, "finish_sign_in", removed_meanwhile)
    with pytest.raises(VerificationFailed):
        sign_in_to_account(
            customer=owner, credential=device.get(options), replaces="", device="", now=now
        )

    assert still_open(owner) == []
