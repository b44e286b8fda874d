"""A link that is asked for while another request of the customer runs, which began before it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest
from django.core import mail

from core.clock import utc_now
from customers.models import Customer, CustomerSession
from customers.own_email import name_email
from customers.passkey_removal import revoke_passkey
from customers.pins import change_pin
from tests.checkout.own_addresses import OLD, OWN, THIEFS, link_sent_to, press, press_if_any
from tests.checkout.thefts import NEW_PIN, PIN
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.races import held_up

pytestmark = pytest.mark.django_db


def _changes_the_pin(customer: Customer, now: datetime) -> None:
    change_pin(customer_id=customer.pk, pin=PIN, new_pin=NEW_PIN, address="192.0.2.1", now=now)


def _has_the_passkey_removed(customer: Customer, now: datetime) -> None:
    revoke_passkey(passkey_id=customer.passkeys.get().pk, now=now)


@pytest.mark.parametrize("act", [_changes_the_pin, _has_the_passkey_removed])
def test_it_ends_with_what_began_before_it(
    owner: Customer, act: Callable[[Customer, datetime], None]
) -> None:
    """A PIN is hashed for seconds where others hash, and each act waits for the customer's lock."""
    enrol(proven(owner, utc_now()), VirtualAuthenticator(), utc_now() - timedelta(days=2))
    Customer.objects.update(proof_changed_at=None)  # all was set long ago
    began = utc_now() - timedelta(seconds=1)
    thiefs = proven(Customer.objects.get(), began)
    CustomerSession.objects.filter(pk=thiefs.pk).update(passkey_verified_at=began)
    thiefs.refresh_from_db()
    asked_at = began + timedelta(milliseconds=150)
    name_email(session=thiefs, email=THIEFS, network="192.0.2.0", now=asked_at)
    link = link_sent_to(THIEFS)
    act(owner, began)

    assert OLD in press_if_any(link)
    assert Customer.objects.get().email == ""


def _asks(owner: Customer, email: str, now: datetime) -> None:
    name_email(session=proven(owner, now), email=email, network="192.0.2.0", now=now)


@pytest.mark.parametrize("earlier", [timedelta(0), timedelta(milliseconds=9)])
def test_the_newest_ends_one_that_sorts_after_it(
    owner: Customer, monkeypatch: pytest.MonkeyPatch, earlier: timedelta
) -> None:
    """Ids of one millisecond are in no order, and a request may wait for one that began later."""
    ids, began = iter([f"msg_{'z' * 30}", f"msg_{'a' * 30}"]), utc_now() - timedelta(seconds=1)
    with monkeypatch.context() as patched:
        patched.setattr("messages.planning.new_id", lambda kind, now: next(ids))
        _asks(owner, THIEFS, began)
        mistyped = link_sent_to(THIEFS)
        _asks(owner, OWN, began - earlier)
        meant = link_sent_to(OWN)

    assert OLD in press_if_any(mistyped)
    press(meant)
    assert Customer.objects.get().email == OWN


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_newest_is_the_one_that_waited(owner: Customer) -> None:
    began = utc_now() - timedelta(seconds=1)
    then = began + timedelta(milliseconds=9)

    held_up(first=partial(_asks, owner, THIEFS, then), then=partial(_asks, owner, OWN, began))

    press(link_sent_to(OWN))
    assert Customer.objects.get().email == OWN
    assert [str(sent.to) for sent in mail.outbox] == [str([OWN])]
