"""What a thief of a phone number, or of an unlocked browser, tries with real money."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from checkout.browser_session import session_cookie
from core.clock import utc_now
from customers.errors import NewProofLimitReached, VerificationFailed
from customers.models import Customer, CustomerSession
from customers.passkeys import begin_confirmation, finish_confirmation
from customers.pins import set_pin
from customers.services import find_or_create, freeze, top_up
from customers.sessions import start_session
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages import sms
from messages.models import Channel, Message
from payments.models import Payment
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db
PHONE = "+12423591234"
PIN, NEW_PIN = "7359", "4826"
PaymentOf = Callable[..., Payment]


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> TextBox:
    box = TextBox()
    monkeypatch.setattr(sms, "send", box.send)
    return box


@pytest.fixture
def victim(db: None) -> Customer:
    """A live customer with a PIN and 10,000.00."""
    customer = find_or_create(phone=PHONE, livemode=True, now=utc_now())
    set_pin(customer_id=customer.id, pin=PIN, now=utc_now())
    top_up(customer=customer, amount=1_000_000, currency="BSD", now=utc_now())
    return Customer.objects.get()


@pytest.fixture
def browser(victim: Customer, texts: TextBox) -> Shopper:
    """A browser that the victim has left signed in, by a code for their own page."""
    return signed_in_to_account(texts)


def signed_in_to_account(texts: TextBox) -> Shopper:
    shopper = Shopper()
    shopper.visit("/account/phone")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)
    assert shopper.path == "/account"
    return shopper


def press_pay(shopper: Shopper, payment: Payment) -> str:
    """Press Pay; return the last part of the address that it leads to."""
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    return shopper.path.rpartition("/")[2]


def paid() -> list[int]:
    return [payment.sale_amount for payment in Payment.objects.filter(status="completed")]


def test_small_payments_without_proof_end_after_five(
    browser: Shopper, payment_of: PaymentOf
) -> None:
    for _ in range(25):
        press_pay(browser, payment_of(200, livemode=True))

    assert paid() == [200] * 5
    assert browser.path.endswith("/pin")

    browser.send(pin=PIN)
    assert "<h1>Paid</h1>" in browser.text
    press_pay(browser, payment_of(200, livemode=True))
    assert paid() == [200] * 7


def test_small_payments_without_proof_end_at_a_sum(
    browser: Shopper, payment_of: PaymentOf, settings
) -> None:
    settings.RISK_UNPROVEN_AMOUNT = 700
    for _ in range(4):
        press_pay(browser, payment_of(200, livemode=True))

    assert paid() == [200] * 3
    assert browser.path.endswith("/pin")


def test_a_pin_pays_so_much_a_day(browser: Shopper, payment_of: PaymentOf) -> None:
    for _ in range(2):
        press_pay(browser, payment_of(5_000, livemode=True))
        browser.send(pin=PIN)

    press_pay(browser, payment_of(300, livemode=True))
    assert paid() == [5_000] * 2
    assert "passkey" in browser.path

    Customer.objects.update(pin_day_started_at=utc_now() - timedelta(days=1))
    assert press_pay(browser, payment_of(300, livemode=True)) == "pin"


def test_a_pin_reset_by_a_stolen_text_pays_fifty(
    browser: Shopper, texts: TextBox, payment_of: PaymentOf
) -> None:
    browser.visit("/account/pin/forgotten")
    browser.send(again="1")
    browser.send(code=texts.code, pin=NEW_PIN)
    assert "Your PIN has been changed." in browser.text

    for _ in range(8):
        if press_pay(browser, payment_of(5_000, livemode=True)) == "pin":
            browser.send(pin=NEW_PIN)

    assert paid() == [5_000]
    assert "Your PIN or passkey is new" in browser.text
    assert browser.response.status_code == 422


def test_a_second_reset_opens_no_second_fifty(
    browser: Shopper, texts: TextBox, payment_of: PaymentOf
) -> None:
    for pin in (NEW_PIN, "9174"):
        browser.visit("/account/pin/forgotten")
        browser.send(again="1")
        browser.send(code=texts.code, pin=pin)
        if press_pay(browser, payment_of(5_000, livemode=True)) == "pin":
            browser.send(pin=pin)

    assert paid() == [5_000]

    Customer.objects.update(proof_changed_at=utc_now() - timedelta(hours=24))
    press_pay(browser, payment_of(5_000, livemode=True))
    browser.send(pin="9174")
    assert paid() == [5_000] * 2


def test_a_passkey_of_a_minute_ago_does_not_empty_the_wallet(
    victim: Customer, payment_of: PaymentOf
) -> None:
    now = utc_now()
    enrol(proven(victim, now - timedelta(minutes=1)), VirtualAuthenticator(), now)
    payment = payment_of(400_000, livemode=True)

    with pytest.raises(NewProofLimitReached):
        prove_and_pay(payment, victim, Verification.PASSKEY)

    tomorrow = now + timedelta(hours=24)
    Payment.objects.update(expires_at=tomorrow + timedelta(hours=1))
    prove_and_pay(payment, victim, Verification.PASSKEY, now=tomorrow)
    assert paid() == [400_000]


def prove_and_pay(
    payment: Payment, customer: Customer, verified: Verification, now: datetime | None = None
) -> Payment:
    now = now or utc_now()
    Payment.objects.filter(pk=payment.id).update(status=PaymentStatus.PENDING)
    return pay(payment_id=payment.id, customer=customer, verified=verified, actor="thief", now=now)


def test_what_the_page_did_not_ask_for_the_payment_refuses(
    victim: Customer, payment_of: PaymentOf
) -> None:
    Customer.objects.update(unproven_payments=5)

    with pytest.raises(VerificationFailed):
        prove_and_pay(payment_of(150, livemode=True), victim, Verification.NONE)

    assert paid() == []


def test_a_code_read_out_for_one_payment_opens_nothing_else(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    bait, other = payment_of(100, livemode=True), payment_of(150, livemode=True)
    thief = Shopper()
    thief.visit(f"{bait.hosted_url}/phone")
    thief.send(phone=PHONE)
    assert "to pay B$1.00 to" in texts.texts[-1]
    thief.send(code=texts.code)

    for address in ("/account", "/account/pin", "/account/pin/forgotten", "/account/passkeys/new"):
        thief.visit(address)
        assert thief.path == "/account/phone"
    assert press_pay(thief, other) == "phone"
    assert paid() == []

    press_pay(thief, bait)
    assert paid() == [100]


def test_the_code_for_a_payment_is_no_code_for_the_account(
    victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    thief = Shopper()
    thief.visit(f"{payment_of(100, livemode=True).hosted_url}/phone")
    thief.send(phone=PHONE)
    thief.visit("/account/code")

    assert thief.path == "/account/phone"
    assert not CustomerSession.objects.exists()


def test_a_stolen_number_resets_no_pin_where_there_is_a_passkey(
    victim: Customer, texts: TextBox
) -> None:
    device, now = VirtualAuthenticator(), utc_now()
    enrol(proven(victim, now), device, now)
    thief = signed_in_to_account(texts)
    thief.visit("/account/pin/forgotten")
    assert thief.path == "/account/pin/proof"

    session = CustomerSession.objects.latest("pk")
    finish_confirmation(
        session=session,
        credential=device.get(begin_confirmation(session=session, now=now)),
        now=utc_now(),
    )
    thief.visit("/account/pin/proof")
    assert thief.path == "/account/pin/forgotten"
    thief.send(again="1")
    thief.send(code=texts.code, pin=NEW_PIN)
    assert "Your PIN has been changed." in thief.text


def test_a_frozen_customer_is_signed_out_and_not_let_in(
    browser: Shopper, victim: Customer, texts: TextBox, payment_of: PaymentOf
) -> None:
    freeze(customer_id=victim.id, now=utc_now())

    payment = payment_of(150, livemode=True)
    assert press_pay(browser, payment) == "phone"
    browser.send(phone=PHONE)
    browser.send(code=texts.code)
    assert "Your wallet cannot pay at the moment" in browser.text
    browser.visit("/account")
    assert browser.path == "/account/phone"
    assert paid() == []


def test_a_session_opened_while_freezing_is_none(victim: Customer, payment_of: PaymentOf) -> None:
    freeze(customer_id=victim.id, now=utc_now())
    late = start_session(customer=victim, now=utc_now())
    shopper = Shopper()
    shopper.client.cookies[session_cookie(livemode=True)] = late.token
    shopper.visit("/account")

    assert shopper.path == "/account/phone"


def test_passkeys_of_a_frozen_customer_are_set_aside(victim: Customer) -> None:
    device, now = VirtualAuthenticator(), utc_now()
    session = proven(victim, now)
    enrol(session, device, now)
    asked = begin_confirmation(session=session, now=now)
    freeze(customer_id=victim.id, now=now)

    with pytest.raises(VerificationFailed):
        finish_confirmation(session=session, credential=device.get(asked), now=now)


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
    found = re.search(r"https?://[^/]+(/not-me/\S+)", told[Channel.SMS].text)
    assert found
    owner = Shopper()
    owner.visit(found[1])
    assert Customer.objects.get().frozen_at is None  # opening it does nothing

    owner.send()
    assert "Your wallet is stopped" in owner.text
    assert Customer.objects.get().frozen_at is not None
    assert not CustomerSession.objects.filter(ended_at=None).exists()


@pytest.mark.parametrize("change", [lambda token: token[:-1] + "!", lambda token: "cus_1:1:x"])
def test_a_link_that_is_not_ours_stops_nothing(
    victim: Customer, change: Callable[[str], str]
) -> None:
    from customers.security_alerts import stop_link

    token = change(stop_link(victim.id).rpartition("/")[2])
    shopper = Shopper()

    assert shopper.visit(f"/not-me/{token}").status_code == 404
    assert Customer.objects.get().frozen_at is None


def test_a_suspended_merchant_takes_nothing_by_counter_or_test_tools(
    merchant: Merchant, payment_of: PaymentOf
) -> None:
    counter = payment_of(500, payment_mode="STATIC_PAY", expires_at=None)
    payment = payment_of(1_250)
    till, tester = Shopper(), Shopper()
    till.visit(counter.hosted_url)
    tester.visit(payment.hosted_url)
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    assert till.send().status_code == 422
    for outcome in ("approve", "wrong_pin", "no_funds", "decline", "expire"):
        tester.visit(payment.hosted_url)
        assert tester.send(to="/simulate", outcome=outcome).status_code == 422
    assert set(Payment.objects.values_list("id", "status")) == {
        (counter.id, "created"),
        (payment.id, "created"),
    }


def test_the_magic_phone_shows_it_and_the_others_do_not(payment_of: PaymentOf) -> None:
    for phone, small in (("+1 242 555 0107", 5), ("+1 242 555 0100", 7)):
        shopper = Shopper()
        shopper.visit("/account/phone?test=1")
        shopper.send(phone=phone)
        shopper.send(code="000000")
        before = len(paid())
        for _ in range(7):
            press_pay(shopper, payment_of(150))
        assert len(paid()) - before == small
