"""The owner is told that the wallet was frozen on the own page or by the link in a message."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from core.clock import utc_now
from customers.account_changes import AccountChange, record_change
from customers.models import Customer
from customers.security_alerts import stop_link
from customers.services import freeze
from messages.models import Channel, Message
from tests.checkout.shopper import Shopper
from tests.checkout.signed_in_devices import signed_in_on
from tests.checkout.thefts import PHONE

pytestmark = pytest.mark.django_db


def test_who_freezes_the_own_wallet_is_told_on_every_channel(
    victim: Customer, settings: Any
) -> None:
    """A thief who is signed in freezes it, too: the owner learnt of that at a till."""
    settings.SUPPORT_EMAIL = "help@example.com"
    Customer.objects.update(email="ada@example.com", language="es")
    Message.objects.all().delete()  # of the first PIN
    here, _ = signed_in_on(victim, "iPhone")
    here.visit("/account/freeze")
    here.send()

    told = {(one.channel, one.recipient, one.kind, one.text) for one in Message.objects.all()}
    text = (
        "Su billetera de Payments fue bloqueada: nadie puede entrar ni pagar con ella. Escriba a"
        " help@example.com y lo resolveremos juntos."
    )
    assert told == {
        (Channel.SMS, PHONE, "frozen", text),
        (Channel.EMAIL, "ada@example.com", "frozen", text),
    }


def test_who_freezes_by_the_link_is_told_once_but_not_at_a_thiefs_address(victim: Customer) -> None:
    """The link may have been forwarded, or pressed by someone else who reads the mailbox."""
    Customer.objects.update(email="thief@example.com")
    record_change(victim.pk, AccountChange.EMAIL_SET, actor="customer", now=utc_now())
    Message.objects.all().delete()  # of the first PIN
    path = urlsplit(stop_link(victim.id)).path
    for _ in range(2):
        owner = Shopper()
        owner.visit(path)
        owner.send()

    [told] = Message.objects.all()
    assert (told.channel, told.recipient, told.kind) == (Channel.SMS, PHONE, "frozen")
    assert told.text == (
        "Your Payments wallet was frozen: no one can sign in or pay with it. It stays frozen until"
        " our staff have spoken with you."
    )
    assert Customer.objects.get().email == ""


def test_what_staff_freeze_is_told_by_staff(victim: Customer) -> None:
    Message.objects.all().delete()  # of the first PIN
    freeze(customer_id=victim.id, actor="staff:ada", now=utc_now())

    assert not Message.objects.exists()
