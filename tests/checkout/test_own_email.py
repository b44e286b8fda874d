"""A customer's e-mail address: what still reaches the owner of a number that someone else has."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.core import mail
from django.test import Client

from core.clock import utc_now
from customers.account_changes import AccountChange, record_change
from customers.errors import NewProofLimitReached, ProofNeeded
from customers.models import Customer
from customers.own_email import name_email
from customers.pins import set_pin
from customers.services import find_or_create, unfreeze
from customers.sessions import start_session
from messages.models import Channel, Message
from tests.checkout.own_addresses import (
    OLD,
    OWN,
    STOP,
    THIEFS,
    asked_by,
    change_of_pin,
    named,
    press,
    press_if_any,
    told,
)
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import NEW_PIN, PHONE, PIN, signed_in_to_account
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import TextBox
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


def test_it_is_named_after_the_pin_and_counts_once_the_link_is_pressed(own: Shopper) -> None:
    reader = Shopper()
    page = reader.visit(named(own, OWN))
    assert page.status_code == 200
    assert OWN in reader.text
    assert "+1\u00a0242\u00a0•••\u00a01234" in reader.text
    assert Customer.objects.get().email == ""  # a scanner that opens every link confirms nothing

    reader.send()

    assert "Your e\u2011mail address is confirmed" in reader.text
    assert Customer.objects.get().email == OWN
    assert told() == {("email_set", PHONE)}
    own.visit("/account")
    assert f"Receipts and warnings go to {OWN}." in own.text


def test_the_mail_says_nothing_that_anyone_chose(own: Shopper) -> None:
    named(own, OWN)

    [sent] = mail.outbox
    assert sent.subject == "Payments: confirm your e-mail address"
    assert re.sub(r"http\S+", "LINK", str(sent.body)) == (
        "This address was given for the notices and receipts of a Payments wallet. Confirm that it "
        "is yours:\n\nLINK\n\nThe link works for 24 hours. If you have not asked for this, do "
        "nothing: no more is sent here."
    )
    assert Message.objects.get().text == ""  # no row holds the link


def test_a_link_that_was_pressed_says_the_same_again(own: Shopper) -> None:
    link = named(own, OWN)
    press(link)
    again = Shopper()
    again.visit(link)

    assert "Your e\u2011mail address is confirmed" in again.text
    assert "<title>Your e\u2011mail address is confirmed" in again.text
    assert '<a class="pay" href="/account">Your wallet</a>' in again.text
    assert Client().post(link).status_code == 200
    assert told() == {("email_set", PHONE)}


# A thief of the number, who reads its codes


def test_a_code_alone_names_no_address(owner: Customer, texts: TextBox) -> None:
    thief = signed_in_to_account(texts)
    thief.visit("/account/email")
    thief.send(email=THIEFS)
    thief.client.post("/account/email", {"email": THIEFS})
    session = start_session(customer=owner, now=utc_now()).session

    assert "First, let us make sure it is you." in thief.text
    with pytest.raises(ProofNeeded):
        name_email(session=session, email=THIEFS, network="192.0.2.1", now=utc_now())
    assert not Message.objects.exists()


def test_a_pin_that_a_code_has_reset_replaces_no_address(own: Shopper, texts: TextBox) -> None:
    press(named(own, OWN))
    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)
    thief.visit("/account/email")

    assert thief.path == "/account"
    assert "It can be changed from " in thief.text
    assert OWN not in thief.text
    session = proven(Customer.objects.get(), utc_now())
    with pytest.raises(NewProofLimitReached):
        name_email(session=session, email=THIEFS, network="192.0.2.1", now=utc_now())
    assert Message.objects.filter(kind="pin_changed", recipient=OWN).exists()
    with time_machine.travel(utc_now() + timedelta(hours=25)):
        name_email(
            session=proven(Customer.objects.get(), utc_now()),
            email=THIEFS,
            network="192.0.2.1",
            now=utc_now(),
        )
    assert Message.objects.filter(recipient=THIEFS).exists()


def test_where_there_is_a_passkey_the_pin_does_not_do(own: Shopper, owner: Customer) -> None:
    long_ago = utc_now() - timedelta(days=30)
    enrol(proven(owner, long_ago), VirtualAuthenticator(), long_ago)
    Message.objects.all().delete()
    own.visit("/account/email")
    assert 'data-passkey="get"' in own.text
    assert own.client.post("/account/email", {"email": THIEFS}).status_code != 200

    assert not Message.objects.exists()


def test_a_code_does_not_do_where_nothing_else_protects_the_wallet(texts: TextBox) -> None:
    """Who takes over the number of such a customer could replace it by the next code."""
    customer = find_or_create(phone=PHONE, now=utc_now() - timedelta(days=40))
    thief = signed_in_to_account(texts)
    assert "Choose a PIN first." in thief.text
    thief.visit("/account/email")
    assert thief.path == "/account/pin/forgotten"

    session = start_session(customer=customer, now=utc_now()).session
    with pytest.raises(ProofNeeded):
        name_email(session=session, email=THIEFS, network="192.0.2.1", now=utc_now())


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_one_before_is_told_and_stops_the_wallet_and_the_new_one(own: Shopper) -> None:
    press(named(own, OWN))
    press(named(own, THIEFS))
    assert told() == {("email_set", PHONE), ("email_changed", PHONE), ("email_changed", OWN)}
    pending = named(own, "another@example.net")
    warning = Message.objects.get(kind="email_changed", channel=Channel.EMAIL)
    stop = STOP.search(warning.text)
    assert stop

    press(stop[1])

    customer = Customer.objects.get()
    assert (customer.email, customer.frozen_at is None) == ("", False)
    assert OLD in press_if_any(pending)
    unfreeze(customer_id=customer.pk, actor="staff:ada", now=utc_now())
    assert OLD in press_if_any(pending)
    assert Customer.objects.get().email == ""


def test_what_was_confirmed_long_before_outlives_a_denial(own: Shopper) -> None:
    Customer.objects.update(email=OWN)
    then = utc_now() - timedelta(days=3)
    record_change(Customer.objects.get().pk, AccountChange.EMAIL_SET, actor="", now=then)

    press(change_of_pin())

    assert Customer.objects.get().email == OWN


def test_removing_it_is_told_there_and_no_link_brings_it_back(own: Shopper) -> None:
    link = named(own, OWN)
    press(link)
    own.visit("/account/email")
    own.send(remove="1")

    assert "Your e-mail address has been removed." in own.text
    assert Customer.objects.get().email == ""
    assert ("email_removed", OWN) in told()
    refused = press_if_any(link)
    assert OLD in refused
    assert '<a class="pay" href="/account">Your wallet</a>' in refused
    assert Customer.objects.get().email == ""


def test_an_address_removed_on_two_pages_is_removed_once(own: Shopper) -> None:
    press(named(own, OWN))
    for _ in range(2):
        own.visit("/account/email")
        own.send(remove="1")
        assert "Your e-mail address has been removed." in own.text

    removals = Customer.objects.get().changes.filter(change=AccountChange.EMAIL_REMOVED)
    assert removals.count() == 1


def test_what_is_not_there_yet_can_be_added_from_then_not_changed(
    owner: Customer, texts: TextBox
) -> None:
    shopper = signed_in_to_account(texts)
    shopper.visit("/account/pin/forgotten")
    shopper.send(again="1")
    shopper.send(code=texts.code, pin=NEW_PIN)
    shopper.visit("/account")

    assert "You can add one from " in shopper.text
    assert "It can be changed from" not in shopper.text


def test_a_number_alone_replaces_no_address_on_the_first_day_either(texts: TextBox) -> None:
    customer = find_or_create(phone=PHONE, now=utc_now())
    set_pin(customer_id=customer.pk, pin=PIN, now=utc_now())
    press(named(asked_by(signed_in_to_account(texts)), OWN))
    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)
    thief.visit("/account/email")

    assert thief.path == "/account"
    assert "It can be changed from" in thief.text
    assert "Change or remove it" not in thief.text
    with pytest.raises(NewProofLimitReached):
        name_email(
            session=proven(customer, utc_now()), email=THIEFS, network="192.0.2.1", now=utc_now()
        )
    assert Customer.objects.get().email == OWN
