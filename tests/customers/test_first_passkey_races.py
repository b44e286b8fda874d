"""A thief whose request waits while the owner adds a first passkey is asked for it."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from core.clock import utc_now
from core.errors import Conflict
from customers.errors import ProofNeeded
from customers.models import CustomerSession, Passkey
from customers.own_email import name_email
from customers.passkey_removal import remove_passkey
from customers.passkeys import begin_registration, finish_registration
from customers.pins import replace_pin, set_pin
from customers.services import find_or_create
from customers.sessions import lock_customer_of
from messages.models import Channel, Message
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import proven
from tests.customers.guessing import ADDRESS, OTHER_PIN, PIN
from tests.factories import PasskeyFactory
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
Act = Callable[[CustomerSession, datetime], Callable[[], object]]


def add_a_passkey(session: CustomerSession, now: datetime) -> Callable[[], object]:
    credential = VirtualAuthenticator().create(begin_registration(session=session, now=now))
    return lambda: finish_registration(session=session, credential=credential, now=now)


def remove_the_next_passkey(session: CustomerSession, now: datetime) -> Callable[[], object]:
    """Ids are counted, so a thief may name one that is about to be added."""
    following = PasskeyFactory(customer=session.customer, removed_at=now).pk + 1
    return lambda: remove_passkey(session=session, passkey_id=following, now=now)


def give_an_address(session: CustomerSession, now: datetime) -> Callable[[], object]:
    return lambda: name_email(session=session, email="thief@example.com", network=ADDRESS, now=now)


def reset_the_pin(session: CustomerSession, now: datetime) -> Callable[[], object]:
    session.customer.refresh_from_db()
    return lambda: replace_pin(
        session.customer, OTHER_PIN, now=now, session_id=session.pk, is_new_proof=True
    )


@pytest.mark.parametrize(
    ("act", "refused"),
    [
        (add_a_passkey, ProofNeeded),
        (remove_the_next_passkey, ProofNeeded),
        (give_an_address, ProofNeeded),
        (reset_the_pin, Conflict),
    ],
)
def test_what_waits_for_the_owners_first_passkey_takes_that(act: Act, refused: type) -> None:
    now = utc_now()
    customer = find_or_create(phone="+12423591234", now=now)
    set_pin(customer_id=customer.pk, pin=PIN, now=now)
    owner, thief = proven(customer, now), proven(customer, now)
    waiting = act(thief, now)

    def add_the_first() -> None:
        key: dict[str, Any] = {"credential_id": "1", "public_key": b"1", "sign_count": 0}
        known = {"aaguid": "", "is_synced": False, "created_at": now}
        Passkey.objects.create(customer=lock_customer_of(owner), **key, **known)

    assert isinstance(held_up(add_the_first, waiting), refused)
    assert Passkey.objects.usable().count() == 1
    assert not Message.objects.filter(channel=Channel.EMAIL).exists()
