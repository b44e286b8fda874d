"""An e-mail address that is named on the own page, and the links that are sent about it."""

import re

from django.core import mail
from django.test import Client

from core.clock import utc_now
from customers.models import Customer
from customers.pins import change_pin
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import NEW_PIN, PIN

OWN, THIEFS = "ada@example.com", "thief@example.net"
LINK = re.compile(r"http://\S+(/confirm-address/\S+)")
STOP = re.compile(r"http://[^/]+(/not-me/\S+)")
OLD = "This link does not work any more"


def asked_by(shopper: Shopper, pin: str = PIN) -> Shopper:
    shopper.visit("/account/email")
    shopper.send(pin=pin)
    return shopper


def link_sent_to(address: str) -> str:
    send_due_messages(now=utc_now())
    found = [LINK.search(str(sent.body)) for sent in mail.outbox if sent.to == [address]]
    assert found[-1]
    return found[-1][1]


def named(shopper: Shopper, address: str) -> str:
    """Name an address; return the path of the link that comes there."""
    shopper.visit("/account/email")
    shopper.send(email=address)
    assert "Look for our link in your mailbox" in shopper.text
    return link_sent_to(address)


def press(link: str) -> Shopper:
    reader = Shopper()
    reader.visit(link)
    reader.send()
    return reader


def told() -> set[tuple[str, str]]:
    notices = Message.objects.filter(kind__startswith="email_")
    return set(notices.values_list("kind", "recipient"))


def press_if_any(link: str) -> str:
    """Open a link, and press without the button of its page, too."""
    reader = Shopper()
    assert reader.visit(link).status_code == 404
    assert Client().post(link).status_code == 404
    return reader.text


def change_of_pin() -> str:
    """Change the PIN; return the path by which the owner denies it."""
    customer = Customer.objects.get()
    change_pin(
        customer_id=customer.pk, pin=PIN, new_pin=NEW_PIN, address="192.0.2.1", now=utc_now()
    )
    found = STOP.search(Message.objects.filter(kind="pin_changed").latest("pk").text)
    assert found
    return found[1]
