"""The owner stops the wallet while a thief is adding a passkey: none is left that pays."""

from collections.abc import Callable
from functools import partial

import pytest

from core.clock import utc_now
from core.errors import ApiError
from customers.models import Customer, Passkey
from customers.passkeys import begin_registration, finish_registration
from customers.security_alerts import read_stop_link, stop_link
from customers.services import find_or_create, freeze_by_owner
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import proven
from tests.races import at_once

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
