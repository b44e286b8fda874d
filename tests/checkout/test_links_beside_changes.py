"""A link that a thief asks for while the owner's own request runs, which began before it."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from core.clock import utc_now
from customers.models import Customer, CustomerSession
from customers.own_email import name_email
from customers.passkey_removal import revoke_passkey
from customers.pins import change_pin
from tests.checkout.own_addresses import OLD, THIEFS, link_sent_to, press_if_any
from tests.checkout.thefts import NEW_PIN, PIN
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven

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
