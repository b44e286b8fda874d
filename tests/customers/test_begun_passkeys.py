"""Passkeys begun while there was room for each of them."""

from datetime import datetime

import pytest

from customers.errors import TooManyPasskeys
from customers.models import CustomerSession
from customers.passkeys import (
    MAX_PASSKEYS,
    begin_confirmation,
    begin_registration,
    finish_confirmation,
    finish_registration,
)
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many_changes")]


def test_many_begun_at_once_push_out_none_of_the_owners(
    session: CustomerSession, now: datetime
) -> None:
    """Each removal is announced, and takes a decision; one too many removed the oldest silently."""
    device = VirtualAuthenticator()
    owners = enrol(session, device, now)
    shown = device.get(begin_confirmation(session=session, now=now))
    finish_confirmation(session=session, credential=shown, now=now)
    begun = [
        VirtualAuthenticator().create(begin_registration(session=session, now=now))
        for _ in range(MAX_PASSKEYS)
    ]
    for credential in begun[1:]:
        finish_registration(session=session, credential=credential, now=now)

    with pytest.raises(TooManyPasskeys):
        finish_registration(session=session, credential=begun[0], now=now)

    usable = session.customer.passkeys.usable()
    assert owners in usable
    assert usable.count() == MAX_PASSKEYS
