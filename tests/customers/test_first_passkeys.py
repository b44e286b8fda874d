"""The first passkey of a customer, added in two sessions that had both to show none."""

from datetime import datetime
from typing import Any

import pytest

from customers import challenges
from customers.errors import ProofNeeded
from customers.models import Customer, Passkey
from customers.passkeys import begin_registration, finish_registration
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven

pytestmark = pytest.mark.django_db


def test_a_first_one_that_waits_while_the_owner_adds_one_takes_that(
    payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thief of the number who was asked for no passkey, as there was none yet."""
    owner, thief = proven(payer, now), proven(payer, now)
    credential = VirtualAuthenticator().create(begin_registration(session=thief, now=now))
    consume = challenges.consume

    def consume_after_the_owner(*arguments: Any, **named: Any) -> None:
        monkeypatch.setattr(challenges, "consume", consume)
        enrol(owner, VirtualAuthenticator(), now)
        consume(*arguments, **named)

    monkeypatch.setattr(challenges, "consume", consume_after_the_owner)
    with pytest.raises(ProofNeeded, match="passkey"):
        finish_registration(session=thief, credential=credential, now=now)

    assert Passkey.objects.count() == 1
