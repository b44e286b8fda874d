"""The links that confirm a customer's address, and to whom and how often they are sent."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client

from core.clock import utc_now
from core.models import Quota
from customers import own_email
from customers.erasure import erase_customer
from customers.errors import VerificationFailed
from customers.models import Customer, CustomerSession
from customers.own_email import confirm_address, name_email, read_claim
from customers.passkey_removal import revoke_passkey
from customers.pins import set_pin
from customers.services import find_or_create, freeze, unfreeze
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from messages.send_loop import send_due_messages
from payments.models import Payment
from tests.checkout.own_addresses import (
    OLD,
    OWN,
    THIEFS,
    change_of_pin,
    link_sent_to,
    named,
    press,
    press_if_any,
    told,
)
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import PHONE, PIN
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.factories import PasskeyFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


def test_only_the_newest_link_confirms(own: Shopper) -> None:
    mistyped, meant = named(own, "adda@example.com"), named(own, OWN)
    assert OLD in press_if_any(mistyped)
    press(meant)

    assert OLD in press_if_any(mistyped)
    assert Customer.objects.get().email == OWN
    links = Message.objects.filter(kind="confirm_address").order_by("created_at")
    assert [link.key.split(":")[1] for link in links] == ["00000001", "00000002"]


def test_of_two_links_to_one_address_the_newer_confirms(own: Shopper) -> None:
    first, second = named(own, OWN), named(own, OWN)

    assert OLD in press_if_any(first)
    press(second)
    assert Customer.objects.get().email == OWN


def _frozen(customer: Customer) -> None:
    freeze(customer_id=customer.pk, actor="staff:ada", now=utc_now())


def _thawed(customer: Customer) -> None:
    _frozen(customer)
    unfreeze(customer_id=customer.pk, actor="staff:ada", now=utc_now())


def _with_another_pin(customer: Customer) -> None:
    change_of_pin()


def _without_the_passkey(customer: Customer) -> None:
    passkey = enrol(proven(customer, utc_now()), VirtualAuthenticator(), utc_now())
    revoke_passkey(passkey_id=passkey.pk, now=utc_now())


def _erased(customer: Customer) -> None:
    erase_customer(customer_id=customer.pk, actor="staff:ada", cause="Letter", now=utc_now())


@pytest.mark.parametrize(
    "since", [_frozen, _thawed, _with_another_pin, _without_the_passkey, _erased]
)
def test_what_shuts_a_thief_out_ends_the_link(own: Shopper, owner: Customer, since: Any) -> None:
    link = named(own, THIEFS)
    since(owner)

    assert OLD in press_if_any(link)
    assert Customer.objects.get().email == ""


@pytest.mark.parametrize("since", [_frozen, _with_another_pin])
def test_one_that_has_not_left_yet_does_not_leave(
    own: Shopper, owner: Customer, since: Any
) -> None:
    own.send(email=THIEFS)
    since(owner)
    send_due_messages(now=utc_now())

    assert Message.objects.get(kind="confirm_address").status == MessageStatus.NOT_NEEDED
    assert mail.outbox == []


def test_it_expires(own: Shopper) -> None:
    link = named(own, OWN)

    with time_machine.travel(utc_now() + timedelta(hours=24, seconds=1), tick=False):
        assert OLD in press_if_any(link)


@pytest.mark.parametrize("token", ["x", "msg_1:1:x", "cus_1:guessed:guessed"])
def test_no_one_makes_a_link(own: Shopper, token: str) -> None:
    named(own, OWN)

    assert OLD in press_if_any(f"/confirm-address/{token}")
    assert read_claim(token) is None
    assert confirm_address(token=token, now=utc_now()) is None


def test_another_site_cannot_press_the_button(own: Shopper) -> None:
    link = named(own, OWN)

    assert Client(enforce_csrf_checks=True).post(link).status_code == 403
    assert Customer.objects.get().email == ""


def test_a_session_that_has_ended_meanwhile_names_none(own: Shopper, owner: Customer) -> None:
    session = proven(owner, utc_now())
    CustomerSession.objects.update(ended_at=utc_now())

    with pytest.raises(VerificationFailed):
        name_email(session=session, email=THIEFS, network="192.0.2.1", now=utc_now())


# Mail in our name


def limited(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    monkeypatch.setattr(own_email, name, replace(getattr(own_email, name), times=times))


@pytest.mark.parametrize("limit", ["PER_CUSTOMER", "PER_NETWORK"])
def test_a_customer_or_network_sends_few(
    own: Shopper, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    limited(monkeypatch, limit, 2)
    for address in (OWN, "adda@example.com", "adah@example.com"):
        own.visit("/account/email")
        own.send(email=address)

    assert "Too many attempts. Try again in " in own.text
    assert Message.objects.count() == 2


def test_a_mailbox_gets_few_and_no_one_learns_how_many(
    own: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, "PER_MAILBOX", 1)
    for address in (OWN, "ada+more@example.com", OWN.upper(), OWN):
        own.visit("/account/email")
        own.send(email=address)
        assert "Look for our link in your mailbox" in own.text

        assert "If none comes, try again tomorrow" in own.text

    assert Message.objects.filter(status=MessageStatus.PLANNED).count() == 2
    assert not Quota.objects.filter(key__contains="ada").exists()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_stranger_does_not_use_up_the_links_of_a_mailbox(
    own: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(monkeypatch, "PER_CUSTOMER", 9)
    stranger = find_or_create(phone="+12423595678", now=utc_now() - timedelta(days=40))
    set_pin(customer_id=stranger.pk, pin=PIN, now=utc_now() - timedelta(days=40))
    session = proven(stranger, utc_now())
    for number in range(9):
        email = f"ada+{number}@example.com"
        name_email(session=session, email=email, network="192.0.2.1", now=utc_now())
    links = Message.objects.filter(about=stranger.pk, kind="confirm_address")
    assert links.filter(status=MessageStatus.PLANNED).count() == 6

    press(named(own, OWN))

    assert Customer.objects.get(phone=PHONE).email == OWN


def test_a_link_ends_with_an_address_whose_own_does_not_leave(
    own: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers had used up the mailbox: the link at the mistyped address went on counting."""
    mistyped = named(own, "adda@example.com")
    for name in ("PER_MAILBOX", "OF_ONES_OWN"):
        limited(monkeypatch, name, 0)
    own.visit("/account/email")
    own.send(email=OWN)
    assert "Look for our link in your mailbox" in own.text

    assert OLD in press_if_any(mistyped)
    assert Customer.objects.get().email == ""
    send_due_messages(now=utc_now())
    assert len(mail.outbox) == 1


def test_a_link_does_not_end_with_the_same_address_once_more(
    own: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = named(own, OWN)
    for name in ("PER_MAILBOX", "OF_ONES_OWN"):
        limited(monkeypatch, name, 0)
    own.visit("/account/email")
    own.send(email=OWN)
    press(link)

    assert Customer.objects.get().email == OWN


@pytest.mark.parametrize("address", ["root@localhost", "ann@[127.0.0.1]", "ann", ""])
def test_no_mail_goes_to_an_inner_host(own: Shopper, address: str) -> None:
    assert own.send(email=address).status_code == 422

    assert not Message.objects.exists()


# Test mode


@pytest.fixture
def tester(payment: Payment) -> Shopper:
    shopper = Shopper()
    shopper.visit(f"/account?test={payment.id}")
    shopper.send(phone="+12425550177")
    shopper.send(code="000000")
    shopper.visit("/account/email?test=1")
    return shopper


def test_in_test_mode_it_goes_to_the_merchants_own_address_or_nowhere(
    tester: Shopper, merchant: Merchant
) -> None:
    Merchant.objects.update(email_confirmed_at=None)
    tester.send(email="stranger@example.net")
    send_due_messages(now=utc_now())
    assert mail.outbox == []

    Merchant.objects.update(email="owner@conch.example", email_confirmed_at=utc_now())
    tester.visit("/account/email?test=1")
    tester.send(email="stranger@example.net")
    reader = press(link_sent_to("owner@conch.example"))

    [sent] = mail.outbox
    assert sent.to == ["owner@conch.example"]
    assert sent.subject == "[Test] Payments: confirm your e-mail address"
    assert "Test: no money moves" in reader.text
    assert Customer.objects.get().email == "stranger@example.net"
    assert told() == set()


def test_a_passkey_of_a_test_takes_the_pin_as_ever(tester: Shopper) -> None:
    PasskeyFactory(customer=Customer.objects.get())
    tester.visit("/account/email?test=1")

    assert 'name="email"' in tester.text
