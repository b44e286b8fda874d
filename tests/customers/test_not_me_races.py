"""What the owner stops, at the instant in which a thief uses it: nothing of it is left."""

import re
from collections.abc import Callable
from functools import partial

import pytest

from core.clock import utc_now
from core.errors import ApiError
from customers.errors import VerificationFailed
from customers.models import Customer, CustomerSession, Passkey
from customers.own_email import confirm_address, name_email, write
from customers.passkey_removal import revoke_passkey
from customers.passkeys import begin_registration, finish_registration
from customers.pins import set_pin
from customers.security_alerts import read_stop_link, stop_link
from customers.services import find_or_create, freeze_by_owner
from customers.sessions import start_session
from messages.models import Message
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.guessing import PIN
from tests.races import at_once, held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
CUSTOMERS = 6


def test_a_passkey_that_is_being_added_does_not_outlive_the_owners_stop() -> None:
    calls: list[Callable[[], object]] = []
    for number in range(CUSTOMERS):
        now = utc_now()
        customer = find_or_create(phone=f"+1242359123{number}", now=now)
        session = proven(customer, now)
        options = begin_registration(session=session, now=now)
        credential = VirtualAuthenticator().create(options)
        token = stop_link(customer.id).rpartition("/")[2]
        owner, since = read_stop_link(token, now=now)
        calls += [
            partial(finish_registration, session=session, credential=credential, now=now),
            partial(freeze_by_owner, customer_id=owner, since=since, now=now),
        ]

    outcomes = at_once(calls)

    assert outcomes[1::2] == [None] * CUSTOMERS
    assert all(isinstance(one, Passkey | ApiError) for one in outcomes[::2])
    assert not Passkey.objects.filter(removed_at=None).exists()
    assert Customer.objects.exclude(frozen_at=None).count() == CUSTOMERS


def test_a_passkey_that_is_removed_just_then_leaves_no_session() -> None:
    now = utc_now()
    customer = find_or_create(phone="+12423591230", now=now)
    passkey = enrol(proven(customer, now), VirtualAuthenticator(), now)

    opened = held_up(
        partial(revoke_passkey, passkey_id=passkey.pk, now=now),
        partial(start_session, customer=customer, now=now, passkey_id=passkey.pk),
    )

    assert isinstance(opened, VerificationFailed)
    assert not CustomerSession.objects.filter(ended_at=None).exists()


def test_an_address_that_is_confirmed_just_then_is_not_told_of_what_follows() -> None:
    now = utc_now()
    customer = find_or_create(phone="+12423591230", now=now)
    set_pin(customer_id=customer.pk, pin=PIN, now=now)
    customer.refresh_from_db()
    thief = proven(customer, now)
    name_email(session=thief, email="thief@example.net", network="192.0.2.1", now=now)
    content = write(Message.objects.get(recipient="thief@example.net"), now)
    found = re.search(r"/confirm-address/(\S+)", content.text if content else "")
    assert found

    confirmed = held_up(
        partial(freeze_by_owner, customer_id=customer.pk, since=now, now=now),
        partial(confirm_address, token=found[1], now=now),
    )

    assert confirmed is None
    assert Customer.objects.get().email == ""
