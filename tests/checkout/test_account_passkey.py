"""The customer's own page on a known device: signed in to by passkey instead of a code."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from checkout.browser_session import DEVICE_COOKIE
from core.clock import utc_now
from customers.models import ChallengePurpose, Customer, CustomerSession, PasskeyChallenge
from customers.passkey_sign_in import SIGN_IN_ATTEMPTS
from customers.pins import set_pin
from customers.services import find_or_create, freeze_by_owner, top_up, unfreeze
from customers.sessions import proof_needed
from messages.models import Message
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import NEW_PIN, PHONE, PIN, signed_in_to_account
from tests.customers.authenticator import VirtualAuthenticator
from tests.factories import PaymentFactory
from tests.funding.money_in import ordered

OPTIONS = "/account/sign-in/options"


def asked(shopper: Shopper, path: str = OPTIONS) -> dict[str, Any]:
    """Ask for the options of a ceremony as the script does."""
    token = shopper.client.cookies[settings.CSRF_COOKIE_NAME].value
    answer = shopper.client.post(path, {"csrfmiddlewaretoken": token})
    assert answer.status_code == 200
    return dict(answer.json())


def of_this_device(credential: str) -> str:
    return json.dumps({**json.loads(credential), "authenticatorAttachment": "platform"})


@pytest.fixture
def device(browser: Shopper) -> VirtualAuthenticator:
    """A passkey that the victim has made on their own page, in this browser."""
    made = VirtualAuthenticator()
    browser.visit("/account/passkeys/new")
    browser.send(pin=PIN)
    options = asked(browser, "/account/passkeys/options")
    browser.send(credential=of_this_device(made.create(options)))
    assert browser.path == "/account"
    assert "Your passkey is ready." in browser.text
    return made


@pytest.fixture
def returning(browser: Shopper, device: VirtualAuthenticator) -> Shopper:
    """The same browser on another day: the session has ended, the device is known."""
    CustomerSession.objects.update(ended_at=utc_now())
    browser.visit("/account")
    return browser


def test_it_asks_a_known_device_for_its_passkey(returning, device, texts, victim):
    sent = len(texts.texts)
    assert returning.path == "/account/phone"
    assert "<h1>Sign in to your wallet</h1>" in returning.text
    assert victim.masked_phone not in returning.text
    returning.send(credential=of_this_device(device.get(asked(returning))))

    assert returning.path == "/account"
    assert "B$10,000.00" in returning.text
    assert len(texts.texts) == sent


def test_the_session_changes_no_passkey_before_one_is_shown_again(returning, device):
    before = Message.objects.count()
    returning.client.defaults["HTTP_USER_AGENT"] = "iPad"
    returning.send(credential=of_this_device(device.get(asked(returning))))

    session = CustomerSession.objects.latest("id")
    assert (session.payment_id, session.code_verified_at, session.device) == ("", None, "iPad")
    assert proof_needed(session, now=utc_now()) == "passkey"
    assert Message.objects.count() == before


def test_the_phone_number_is_another_way(returning, texts):
    returning.visit("/account/phone?number=1")
    returning.send(phone="+12423591234")
    returning.send(code=texts.code)

    assert returning.path == "/account"


def test_a_code_that_has_expired_leads_back_to_the_number_and_says_so(returning, victim):
    returning.visit("/account/phone?number=1")
    returning.send(phone=victim.phone)
    del returning.client.cookies["code"]
    returning.send(code="000000")

    assert returning.path == "/account/phone?number=1&expired=1"
    assert "That code has expired." in returning.text


def test_without_javascript_it_leads_to_the_phone_number(returning):
    returning.send()

    assert returning.path == "/account/phone?number=1"
    assert "<h1>Your phone number</h1>" in returning.text


@pytest.mark.parametrize("cookie", ["", "forged", "WyJjdXNfMSIsICIiXQ:1w:x"])
def test_an_unknown_device_is_asked_for_a_number_and_learns_nothing(returning, cookie):
    thief = Shopper()
    thief.client.cookies[DEVICE_COOKIE] = cookie
    thief.visit("/account/phone")

    assert "data-passkey" not in thief.text
    assert asked(thief) == {"go": "/account/phone?number=1"}
    thief.send(credential="{}")
    assert thief.path == "/account/phone?number=1"
    assert not PasskeyChallenge.objects.filter(purpose=ChallengePurpose.SIGN_IN).exists()


@pytest.mark.parametrize("is_frozen", [True, False], ids=["frozen", "removed"])
def test_a_device_whose_passkey_is_of_no_use_is_asked_no_more(returning, victim, is_frozen):
    if is_frozen:
        Customer.objects.update(frozen_at=utc_now())
    else:
        victim.passkeys.update(removed_at=utc_now())

    assert asked(returning) == {"go": "/account/phone?number=1"}
    returning.visit("/account/phone")
    assert "<h1>Your phone number</h1>" in returning.text


def test_an_answer_is_good_once(returning, device):
    answer = of_this_device(device.get(asked(returning)))
    returning.send(credential=answer)
    CustomerSession.objects.update(ended_at=utc_now())
    returning.visit("/account")
    refused = returning.send(credential=answer)

    assert refused.status_code == 422
    assert "The passkey could not be checked. Try again." in returning.text


def test_an_answer_that_approved_a_payment_does_not_sign_in(returning, device, payment_of):
    payment = payment_of(1_250, livemode=True)
    answer = device.get(asked(returning, f"{payment.hosted_url}/passkey/device/options"))
    refused = returning.send(credential=of_this_device(answer))

    assert refused.status_code == 422
    assert not CustomerSession.objects.filter(ended_at=None).exists()


def test_failed_attempts_are_counted_and_the_code_remains(returning, device, texts):
    for _ in range(SIGN_IN_ATTEMPTS.times):
        assert returning.send(credential="{}").status_code == 422
    refused = returning.send(credential=of_this_device(device.get(asked(returning))))

    assert refused.status_code == 429
    assert "Too many attempts. Try again in 60 minutes." in returning.text
    assert not CustomerSession.objects.filter(ended_at=None).exists()
    returning.visit("/account/phone?number=1")
    returning.send(phone="+12423591234")
    returning.send(code=texts.code)
    assert returning.path == "/account"


def test_right_answers_are_not_limited(returning, device):
    for _ in range(SIGN_IN_ATTEMPTS.times + 1):
        returning.send(credential=of_this_device(device.get(asked(returning))))
        assert returning.path == "/account"
        CustomerSession.objects.update(ended_at=utc_now())
        returning.visit("/account")


def test_signing_out_forgets_the_device(browser, device):
    browser.visit("/account")
    browser.send(to="/sign-out")

    assert browser.path == "/account/phone"
    assert "<h1>Your phone number</h1>" in browser.text


def test_a_stolen_number_does_not_read_what_staff_ask_for(
    returning, device, texts, victim, merchant, settings
):
    """With amount and shop of a payment its thief had the passkey removed, and the PIN reset."""
    payment = PaymentFactory(merchant=merchant, amount=4_321, livemode=True, created_at=utc_now())
    pay(
        payment_id=payment.id,
        customer=victim,
        verified=Verification.PASSKEY,
        actor=f"customer:{victim.id}",
        now=utc_now(),
    )
    settings.FUNDING_CASH_PLACE = "any agent"
    added = ordered(victim, 1_500, "agent", payment=payment)
    thief = signed_in_to_account(texts)
    assert f"/top-ups/{added.id}" not in thief.text
    assert "B$43.21" not in thief.text
    assert merchant.name not in thief.text
    thief.visit("/account?before=pay_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz")
    assert merchant.name not in thief.text

    thief.visit("/account/payments")
    thief.send(credential=device.get(asked(thief, "/account/passkeys/options")))

    assert thief.path == "/account"
    assert "B$43.21" in thief.text
    assert merchant.name in thief.text
    assert f"/top-ups/{added.id}" in thief.text


def test_a_stolen_number_does_not_read_it_where_there_is_a_pin_either(texts, merchant, settings):
    """Most customers have no passkey: one code listed what staff ask for."""
    settings.FUNDING_CASH_PLACE = "any agent"
    long_ago = utc_now() - timedelta(days=40)
    owner = find_or_create(phone=PHONE, now=long_ago)
    set_pin(customer_id=owner.id, pin=PIN, now=long_ago)
    top_up(customer=owner, amount=10_000, currency="BSD", now=utc_now())
    payment = PaymentFactory(merchant=merchant, amount=4_321, livemode=True)
    pay(
        payment_id=payment.id,
        customer=Customer.objects.get(),
        verified=Verification.PIN,
        actor=f"customer:{owner.id}",
        now=utc_now(),
    )
    own = ordered(owner, 900, "agent")
    *_, added = [ordered(owner, 1_500 + i, "agent", payment=payment) for i in range(5)]
    browser = signed_in_to_account(texts)
    assert "B$43.21" not in browser.text
    assert f"/top-ups/{added.id}" not in browser.text
    assert f"/top-ups/{own.id}" in browser.text

    browser.visit("/account/payments")
    browser.send(pin="0000")
    assert "That PIN is not right." in browser.text
    browser.send(pin=PIN)
    assert browser.path == "/account"
    assert "B$43.21" in browser.text
    assert f"/top-ups/{added.id}" in browser.text

    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)
    thief.visit("/account/payments")
    thief.send(pin=NEW_PIN)
    assert thief.path == "/account"
    assert "Your PIN or passkey is new. For your safety" in thief.text
    assert "B$43.21" not in thief.text
    assert f"/top-ups/{added.id}" not in thief.text

    Customer.objects.update(proof_changed_at=utc_now() - timedelta(hours=24))
    thief.visit("/account")
    assert "B$43.21" in thief.text


def test_a_stolen_number_does_not_read_it_once_the_last_key_is_gone_either(texts, merchant):
    """Any way by which staff or the owner took it away gave the list to one code again."""
    long_ago = utc_now() - timedelta(days=40)
    owner = find_or_create(phone=PHONE, now=long_ago)
    set_pin(customer_id=owner.id, pin=PIN, now=long_ago)
    payment = PaymentFactory(merchant=merchant, amount=4_321, livemode=True)
    top_up(customer=owner, amount=10_000, currency="BSD", now=utc_now())
    actor = f"customer:{owner.id}"
    owner.refresh_from_db()
    pay(
        payment_id=payment.id, customer=owner, verified=Verification.PIN, actor=actor, now=utc_now()
    )
    freeze_by_owner(customer_id=owner.id, since=long_ago, now=utc_now())
    unfreeze(customer_id=owner.id, actor="staff:ada", now=utc_now())
    Customer.objects.update(proof_changed_at=utc_now() - timedelta(hours=24))

    thief = signed_in_to_account(texts)
    assert "B$43.21" not in thief.text
    thief.visit("/account/payments")
    assert thief.path == "/account/pin/forgotten"
