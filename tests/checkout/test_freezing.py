"""Freezing freezes: by staff, by the link in a message, and a suspended merchant likewise."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine

from checkout.browser_session import session_cookie
from core.clock import utc_now
from customers import webauthn
from customers.errors import CustomerFrozen, ProofMethod, VerificationFailed
from customers.models import Customer, CustomerSession, Passkey
from customers.passkeys import begin_confirmation, finish_confirmation
from customers.pin_hashing import Hasher
from customers.pins import change_pin
from customers.security_alerts import stop_link
from customers.services import freeze, unfreeze
from customers.sessions import remember_proof, start_session
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Channel, Message
from payments.models import Payment
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import NEW_PIN, PHONE, PIN, paid, press_pay
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import TextBox
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PaymentOf = Callable[..., Payment]


def test_a_frozen_customer_is_signed_out_and_not_let_in(
    browser: Shopper, victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    freeze(customer_id=victim.id, actor="staff:ada", now=utc_now())

    payment = payment_of(150, livemode=True)
    assert press_pay(browser, payment) == "phone"
    browser.send(phone=PHONE)
    browser.send(code=texts.code)
    assert "Your wallet cannot pay at the moment" in browser.text
    browser.visit("/account")
    assert browser.path == "/account/phone"
    assert paid() == []


def test_a_session_opened_while_freezing_is_none(victim: Customer, payment_of: PaymentOf) -> None:
    freeze(customer_id=victim.id, actor="staff:ada", now=utc_now())
    late = start_session(customer=victim, now=utc_now())
    shopper = Shopper()
    shopper.client.cookies[session_cookie(livemode=True)] = late.token
    shopper.visit("/account")
    assert shopper.path == "/account/phone"

    unfreeze(customer_id=victim.id, actor="staff:ada", now=utc_now())
    shopper.visit("/account")

    assert shopper.path == "/account/phone"


def test_a_pin_that_is_hashed_while_freezing_is_not_set(
    victim: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thief's PIN was stored a moment after the freeze, and stood when it was lifted."""
    columns, before = Hasher.columns, Customer.objects.get(pk=victim.pk).pin_hash

    def freeze_meanwhile(hasher: Hasher, pin: str) -> dict[str, str]:
        freeze(customer_id=victim.id, actor="customer", now=utc_now())
        return columns(hasher, pin)

    monkeypatch.setattr(Hasher, "columns", freeze_meanwhile)
    with pytest.raises(CustomerFrozen):
        change_pin(
            customer_id=victim.id, pin=PIN, new_pin=NEW_PIN, address="192.0.2.1", now=utc_now()
        )

    assert Customer.objects.get(pk=victim.pk).pin_hash == before


def test_a_passkey_that_is_checked_while_freezing_is_not_added(
    victim: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify, now = webauthn.verify_registration, utc_now()

    def freeze_meanwhile(response: Any, *, site: str) -> Any:
        freeze(customer_id=victim.id, actor="customer", now=now)
        return verify(response, site=site)

    monkeypatch.setattr(webauthn, "verify_registration", freeze_meanwhile)
    with pytest.raises(CustomerFrozen):
        enrol(proven(victim, now), VirtualAuthenticator(), now)

    assert not Passkey.objects.exists()


def test_passkeys_of_a_frozen_customer_are_set_aside(victim: Customer) -> None:
    device, now = VirtualAuthenticator(), utc_now()
    session = proven(victim, now)
    enrol(session, device, now)
    asked = begin_confirmation(session=session, now=now)
    freeze(customer_id=victim.id, actor="staff:ada", now=now)

    with pytest.raises(VerificationFailed):
        finish_confirmation(session=session, credential=device.get(asked), now=now)


def link_in(message: Message) -> str:
    found = re.search(r"https?://[^/]+(/not-me/\S+)", message.text)
    assert found
    return found[1]


def test_a_change_is_told_on_every_channel_with_a_link_that_stops_the_wallet(
    browser: Shopper, victim: Customer, texts: TextBox
) -> None:
    Customer.objects.update(email="ada@example.com")
    browser.visit("/account/pin/forgotten")
    browser.send(again="1")
    browser.send(code=texts.code, pin=NEW_PIN)

    told = {message.channel: message for message in Message.objects.all()}
    assert {channel: message.recipient for channel, message in told.items()} == {
        Channel.SMS: PHONE,
        Channel.EMAIL: "ada@example.com",
    }
    owner = Shopper()
    owner.visit(link_in(told[Channel.SMS]))
    assert Customer.objects.get().frozen_at is None  # opening it does nothing

    owner.send()
    assert "Your wallet is frozen" in owner.text
    assert Customer.objects.get().frozen_at is not None
    assert not CustomerSession.objects.filter(ended_at=None).exists()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_who_denies_a_passkey_is_rid_of_it(victim: Customer) -> None:
    """Unfrozen, the thief still had the key to the wallet, and the owner none to remove it."""
    now, own, stolen = utc_now(), VirtualAuthenticator(), VirtualAuthenticator()
    long_ago = now - timedelta(hours=25)
    Customer.objects.update(pin_set_at=long_ago)
    session = proven(victim, now)
    kept = enrol(session, own, long_ago)
    remember_proof(session, ProofMethod.PASSKEY, now=now)
    enrol(session, VirtualAuthenticator(), now - timedelta(hours=23))
    enrol(session, stolen, now)
    told = Message.objects.filter(kind="passkey_added").latest("pk")
    later = enrol(session, VirtualAuthenticator(), now + timedelta(minutes=2))

    owner = Shopper()
    owner.visit(link_in(told))
    owner.send()
    unfreeze(customer_id=victim.id, actor="staff:ada", now=utc_now())

    assert list(victim.passkeys.usable()) == [kept]
    assert Passkey.objects.get(pk=later.pk).removed_at is not None
    assert Customer.objects.get().pin_hash == victim.pin_hash


def test_who_denies_a_pin_is_rid_of_it(victim: Customer, texts: TextBox) -> None:
    at = utc_now() - timedelta(hours=25)
    passkey = enrol(proven(victim, at), VirtualAuthenticator(), at)
    change_pin(customer_id=victim.id, pin=PIN, new_pin=NEW_PIN, address="192.0.2.1", now=utc_now())

    owner = Shopper()
    owner.visit(link_in(Message.objects.filter(kind="pin_changed").get()))
    owner.send()

    customer = Customer.objects.get()
    assert (customer.pin_hash, customer.pin_set_at) == ("", None)
    assert list(victim.passkeys.usable()) == [passkey]


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("", "It stays frozen until our staff have spoken with you."),
        ("help@example.com", '<a href="mailto:help@example.com">help@example.com</a>'),
    ],
)
def test_a_frozen_wallet_says_where_to_write_if_anywhere(
    victim: Customer, settings: Any, address: str, said: str
) -> None:
    settings.SUPPORT_EMAIL = address
    shopper = Shopper()
    shopper.visit(urlsplit(stop_link(victim.id)).path)
    shopper.send()

    assert said in shopper.text
    assert ("mailto:" in shopper.text) is bool(address)


def test_a_link_works_no_more_once_staff_have_unfrozen(victim: Customer) -> None:
    now = utc_now()
    old = stop_link(victim.id).rpartition("/")[2]
    freeze(customer_id=victim.id, actor="customer", now=now)
    with time_machine.travel(now + timedelta(hours=1), tick=False):
        unfreeze(customer_id=victim.id, actor="staff:ada", now=utc_now())
        assert Shopper().visit(f"/not-me/{old}").status_code == 404
    with time_machine.travel(now + timedelta(hours=2), tick=False):
        new = stop_link(victim.id).rpartition("/")[2]
        assert Shopper().visit(f"/not-me/{old}").status_code == 404
        shopper = Shopper()
        shopper.visit(f"/not-me/{new}")
        shopper.send()

    assert Customer.objects.get().frozen_at is not None


def test_unfreezing_who_is_not_frozen_ends_nothing(victim: Customer) -> None:
    """A second press, or a colleague of the thief, took the owner's way to stop the wallet."""
    now = utc_now()
    token = stop_link(victim.id).rpartition("/")[2]
    session = proven(victim, now)
    with time_machine.travel(now + timedelta(minutes=1), tick=False):
        unfreeze(customer_id=victim.id, actor="staff:ada", now=utc_now())
        assert Shopper().visit(f"/not-me/{token}").status_code == 200

    session.refresh_from_db()
    assert session.ended_at is None


@pytest.mark.parametrize("change", [lambda token: token[:-1] + "!", lambda token: "cus_1:1:x"])
def test_a_link_that_is_not_ours_stops_nothing(
    victim: Customer, change: Callable[[str], str]
) -> None:
    token = change(stop_link(victim.id).rpartition("/")[2])
    shopper = Shopper()

    assert shopper.visit(f"/not-me/{token}").status_code == 404
    assert Customer.objects.get().frozen_at is None


def test_a_suspended_merchant_takes_nothing_by_counter_or_test_tools(
    merchant: Merchant, payment_of: PaymentOf
) -> None:
    counter = payment_of(500, payment_mode="STATIC_PAY", expires_at=None)
    payment = payment_of(1_250)
    outcomes = ("approve", "wrong_pin", "no_funds", "decline", "expire")
    till, testers = Shopper(), {outcome: Shopper() for outcome in outcomes}
    till.visit(counter.hosted_url)
    for tester in testers.values():
        tester.visit(payment.hosted_url)
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    assert till.send().status_code == 422
    for outcome, tester in testers.items():
        assert tester.send(to="/simulate", outcome=outcome).status_code == 422
    assert set(Payment.objects.values_list("id", "status")) == {
        (counter.id, "created"),
        (payment.id, "created"),
    }


def test_no_text_names_a_suspended_merchant(
    merchant: Merchant, payment_of: PaymentOf, texts: TextBox
) -> None:
    """A visitor enters a stranger's phone on what is left of the merchant's payments."""
    payment = payment_of(999, livemode=True)
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}/phone")
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    shopper.send(phone=PHONE)

    assert texts.texts == []
    assert "You cannot pay here at the moment" in shopper.text
    assert shopper.visit(f"{payment.hosted_url}/phone").status_code == 422
