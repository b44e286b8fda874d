"""A session that has ended meanwhile changes no passkey."""

from collections.abc import Callable
from datetime import datetime

import pytest

from customers.errors import ProofMethod, VerificationFailed
from customers.models import Customer, CustomerQuerySet, CustomerSession
from customers.passkeys import begin_registration, finish_registration
from customers.sessions import remember_proof
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import proven

pytestmark = pytest.mark.django_db


def shown(customer: Customer, now: datetime) -> CustomerSession:
    """Sign the customer in on one more device, with a passkey just shown."""
    session = proven(customer, now)
    remember_proof(session, ProofMethod.PASSKEY, now=now)
    return session


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
def test_a_session_that_has_ended_meanwhile_adds_none(
    session: CustomerSession, now: datetime, ended_meanwhile: Callable[[int], None]
) -> None:
    thief = shown(session.customer, now)
    credential = VirtualAuthenticator().create(begin_registration(session=thief, now=now))
    ended_meanwhile(thief.pk)

    with pytest.raises(VerificationFailed):
        finish_registration(session=thief, credential=credential, now=now)

    assert session.customer.passkeys.count() == 1
