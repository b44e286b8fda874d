"""With real money: a new customer, from the first code to the receipt."""

import re

import pytest

from core.clock import utc_now
from customers.models import FRESH, Customer, CustomerSession
from customers.services import top_up
from messages.errors import Fault, NumberRefused
from messages.models import Message
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper
from tests.checkout.steps import press, see_paid
from tests.chromium import add_authenticator

PHONE = "+1 242 359 1234"
PIN = "7359"


def fill_wallet() -> None:
    top_up(customer=Customer.objects.get(), amount=20_000, currency="BSD", now=utc_now())


def test_a_new_customer_tops_up_chooses_a_pin_and_pays(payment_of, texts):
    payment = payment_of(1_250, livemode=True)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)
    assert "Your balance is B$0.00; this payment needs B$12.50." in shopper.text

    fill_wallet()
    shopper.send(to="/pay")
    assert shopper.path.endswith("/pin/new")
    for obvious in ("1234", "1111", "3591"):
        shopper.send(pin=obvious)
        assert "That PIN is too easy to guess." in shopper.text
    assert "Save PIN and pay B$12.50" in shopper.text
    shopper.send(pin=PIN)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert len(texts.texts) == 1
    assert "Test" not in shopper.text


def test_a_dead_number_is_no_server_error(payment_of, monkeypatch):
    """One would be an alarm, and anyone can enter such a number."""

    def refuse(**message):
        raise NumberRefused(Fault.REFUSED, "SMS gateway: 400")

    monkeypatch.setattr("messages.sms.send", refuse)
    shopper = Shopper()
    shopper.visit(f"{payment_of(1_250, livemode=True).hosted_url}/phone")
    response = shopper.send(phone=PHONE)

    assert response.status_code == 422
    assert "We could not send the text." in shopper.text


def test_a_first_pin_ends_the_sessions_of_others_only(payment_of, texts):
    payment = payment_of(1_250, livemode=True)
    for _ in range(2):
        shopper = Shopper()
        shopper.visit(f"{payment.hosted_url}/phone")
        shopper.send(phone=PHONE)
        shopper.send(code=texts.code)
    fill_wallet()
    shopper.send(to="/pay")
    shopper.send(again="1")
    shopper.send(code=texts.code)
    shopper.send(pin=PIN)

    ended = CustomerSession.objects.order_by("created_at").values_list("ended_at", flat=True)
    assert [instant is None for instant in ended] == [False, True]


def test_one_who_signed_in_long_ago_proves_the_phone_once_more(payment_of, texts):
    payment = payment_of(1_250, livemode=True)
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}/phone")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)
    fill_wallet()
    CustomerSession.objects.update(code_verified_at=utc_now() - FRESH)

    shopper.send(to="/pay")
    assert shopper.path.endswith("/code/fresh")
    shopper.send(again="1")
    assert "is your code for a new PIN or passkey at Payments." in texts.texts[-1]
    shopper.send(code="000000" if texts.code != "000000" else "111111")
    assert "That code is not right. 4 attempts left." in shopper.text
    shopper.send(code=texts.code)
    assert shopper.path.endswith("/pin/new")
    shopper.send(pin=PIN)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_new_customer_pays_a_large_sum_after_one_code(open_page, payment_of, texts, settings):
    settings.RISK_NEW_PROOF_HOURS = 0
    payment = payment_of(12_500, livemode=True)
    page = open_page(payment.hosted_url)
    add_authenticator(page)
    page.get_by_role("button", name=re.compile("^Pay ")).click()
    page.get_by_label("Phone number").fill(PHONE)
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_label("Code").fill(texts.code)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Add B$125.00").wait_for()
    fill_wallet()
    press(page, "I have added money: try again")
    page.get_by_role("button", name="Create a passkey and pay B$125.00").click()
    see_paid(page)

    assert len(texts.texts) == 1
    assert list(Message.objects.values_list("kind", flat=True)) == ["passkey_added"]
