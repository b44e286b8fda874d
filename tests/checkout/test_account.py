"""The customer's own page."""

import re
from datetime import timedelta

import pytest

from core.clock import utc_now
from customers.models import Customer, CustomerSession, Passkey
from customers.pins import check_pin
from customers.services import find_or_create, top_up
from merchants.callers import Caller
from payments.models import Payment
from refunds.services import RefundDraft, create_refund
from refunds.tasks import retry_refunds
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import CustomerFactory, PasskeyFactory
from tests.nights import ITS_OWN
from tests.payouts.merchant_balance import credit

PHONE = "+12425550177"


@pytest.fixture
def customer(payment) -> Shopper:
    """A signed-in test customer of the merchant whose payment it is."""
    shopper = Shopper()
    shopper.visit(f"/account?test={payment.id}")
    shopper.send(phone=PHONE)
    shopper.send(code="000000")
    return shopper


def test_it_asks_who_you_are(db):
    shopper = Shopper()
    shopper.visit("/account")

    assert shopper.path == "/account/phone"
    assert "Test: no money moves" not in shopper.text


def test_it_shows_balance_and_phone(customer, payment):
    assert customer.path == f"/account?test={payment.id}"
    assert "B$100,000.00 <small>BSD</small>" in customer.text
    assert "+1 242 555 0177" in customer.text
    assert "Nothing yet. What you pay appears here." in customer.text


def test_a_live_customer_has_a_page_of_their_own(db, capsys, settings):
    settings.SUPPORT_EMAIL = "help@example.com"
    live = find_or_create(phone="+12424250177", now=utc_now())
    top_up(customer=live, amount=410, currency="BSD", now=utc_now())
    shopper = Shopper()
    shopper.visit("/account")
    shopper.send(phone="242 425 0177")
    code = capsys.readouterr().out.splitlines()[1].split()[0]
    shopper.send(code=code)

    assert shopper.path == "/account"
    assert "B$4.10" in shopper.text
    assert "Choose a PIN" in shopper.text
    address = '<a href="mailto:help@example.com">help@example.com</a>'
    assert f"To close your wallet, or for a copy of your data, write to {address}." in shopper.text

    settings.SUPPORT_EMAIL = ""
    assert "To close your wallet" not in shopper.visit("/account").content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_lists_payments_with_a_way_to_the_receipt_page_by_page(customer, payment_of):
    mine = Customer.objects.get(phone=PHONE)
    done = {"status": "completed", "completed_at": utc_now(), "fee": 0, "customer": mine}
    payments = [
        payment_of(100 + number, transaction_id=f"txn_{number}", **done) for number in range(25)
    ]
    other = CustomerFactory(merchant=mine.merchant, phone="+12425550188")
    payment_of(99_999, transaction_id="txn_other", **done | {"customer": other})
    customer.visit("/account?test=1")

    newest = sorted((payment.id for payment in payments), reverse=True)
    assert customer.text.count('href="/receipts/') == 20
    assert "B$999.99" not in customer.text
    customer.visit(f"/account?before={newest[19]}&test=1")
    assert customer.text.count('href="/receipts/') == 5


def test_the_pin_is_changed_by_who_knows_it_and_ends_other_sessions(customer, payment):
    mine = Customer.objects.get(phone=PHONE)
    elsewhere = Shopper()
    elsewhere.visit(f"/account?test={payment.id}")
    elsewhere.send(phone=PHONE)
    elsewhere.send(code="000000")
    customer.visit("/account/pin?test=1")
    assert customer.send(old="9999", pin="8305").status_code == 422
    assert '<a href="#id_old">That PIN is not right. 4 attempts left.</a>' in customer.text
    assert customer.send(old="1234", pin="1111").status_code == 422
    assert '<a href="#id_pin">That PIN is too easy to guess.' in customer.text
    customer.send(old="1234", pin="8305")

    assert "Your PIN has been changed." in customer.text
    check_pin(customer_id=mine.id, pin="8305", address="127.0.0.1", now=utc_now())
    elsewhere.visit("/account?test=1")
    assert elsewhere.path.startswith("/account/phone")


def test_a_forgotten_pin_is_replaced_by_a_code(customer):
    mine = Customer.objects.get(phone=PHONE)
    customer.visit("/account/pin/forgotten?test=1")
    customer.send(again="1")
    assert customer.send(code="111111", pin="8305").status_code == 422
    assert '<a href="#id_code">That code is not right. 4 attempts left.</a>' in customer.text
    assert customer.send(code="", pin="").status_code == 422
    assert customer.text.index('href="#id_code"') < customer.text.index('href="#id_pin"')
    customer.send(code="000000", pin="8305")

    assert "Your PIN has been changed." in customer.text
    check_pin(customer_id=mine.id, pin="8305", address="127.0.0.1", now=utc_now())


def test_a_forgotten_pin_leads_back_to_the_payment(payment):
    shopper = signed_in_at(payment, PHONE)
    shopper.visit(f"/account/pin/forgotten?payment={payment.id}&test=1")
    shopper.send(again="1")
    shopper.send(code="000000", pin="8305")

    assert shopper.path == payment.hosted_url
    assert "Your PIN has been changed." in shopper.text
    shopper.visit(payment.hosted_url)
    assert "Your PIN has been changed." not in shopper.text


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "../admin", "pay_1"])
def test_it_leads_back_to_payments_only(customer, back):
    customer.visit(f"/account/pin/forgotten?payment={back}&test=1")

    addresses = re.findall(r'(?:href|action|src)="([^"]*)"', customer.text)
    assert all(re.match(r"/\w|[?#]", address) for address in addresses)
    assert "/account?test=1" in addresses


def test_signing_out_ends_the_session_on_the_server(customer):
    token = customer.client.cookies["customer-test"].value
    customer.send(to="/sign-out")

    assert customer.path.startswith("/account/phone")
    assert CustomerSession.objects.get().ended_at is not None
    customer.client.cookies["customer-test"] = token
    customer.visit("/account?test=1")
    assert customer.path.startswith("/account/phone")


def test_after_signing_out_in_test_mode_a_page_says_where_to_sign_in(customer):
    """It said that the address was cut off or mistyped, as no merchant was known any more."""
    customer.visit("/account?test=1")
    response = customer.send(to="/sign-out")

    assert (customer.path, response.status_code) == ("/account/phone?test=1", 200)
    assert "Sign in from a test payment" in customer.text
    assert 'name="phone"' not in customer.text


def test_signing_out_is_no_link(customer):
    assert customer.client.get("/account/sign-out?test=1").status_code == 405
    assert CustomerSession.objects.get().ended_at is None


@pytest.fixture
def passkey(customer) -> Passkey:
    """A passkey of the customer, who has chosen a PIN."""
    customer_id, now = Customer.objects.get(phone=PHONE).pk, utc_now()
    check_pin(customer_id=customer_id, pin="1234", address="192.0.2.1", now=now)
    return PasskeyFactory(customer=Customer.objects.get(phone=PHONE), name="iPhone")


def test_a_passkey_is_removed_after_the_pin(customer, passkey):
    customer.visit("/account?test=1")
    assert "iPhone" in customer.text
    customer.visit(f"/account/passkeys/{passkey.handle}/remove?test=1")
    assert customer.send(pin="9999").status_code == 422
    customer.send(pin="1234")
    assert Passkey.objects.usable().count() == 1
    customer.send()

    assert "The passkey has been removed." in customer.text
    assert Passkey.objects.usable().count() == 0


@pytest.mark.each_on_postgres(ITS_OWN)
def test_an_old_sign_in_needs_a_fresh_code_too(customer, passkey):
    CustomerSession.objects.update(code_verified_at=utc_now().replace(year=2020))
    customer.visit(f"/account/passkeys/{passkey.handle}/remove?test=1")
    customer.send(again="1")
    customer.send(code="000000")
    customer.send(pin="1234")
    customer.send()

    assert Passkey.objects.usable().count() == 0


def test_no_customer_removes_the_passkey_of_another(customer, passkey):
    passkey.customer = CustomerFactory(phone="+12425550188")
    passkey.save()
    response = customer.visit(f"/account/passkeys/{passkey.handle}/remove?test=1")

    assert response.status_code == 404


def test_money_that_comes_back_is_listed_with_its_day(customer, payment_of):
    mine = Customer.objects.get(phone=PHONE)
    payment = payment_of(
        1_250,
        status="completed",
        completed_at=utc_now(),
        fee=0,
        customer=mine,
        transaction_id="txn_1",
    )
    caller = Caller(payment.merchant, livemode=False, actor="test")
    draft = RefundDraft(amount=400, reason="")
    create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())
    customer.visit("/account?test=1")
    assert "Refund on its way: B$4.00" in customer.text
    assert "refunded on" not in customer.text

    credit(payment.merchant, 400)
    retry_refunds()
    customer.visit("/account?test=1")
    assert "B$4.00 refunded on " in customer.text
    assert "on its way" not in customer.text
    assert Payment.objects.filter(customer=mine).count() == 1


@pytest.mark.parametrize("before", ["%00", "%ED%A0%80", "x", "z" * 3_000])
def test_a_list_from_nowhere_starts_at_its_top(customer, before):
    response = customer.visit(f"/account?test=1&before={before}")

    assert response.status_code == 200
    assert "Nothing yet." in customer.text


def test_changing_the_pin_is_called_so(customer):
    customer.visit("/account/pin?test=1")

    assert "<title>Change your PIN" in customer.text
    assert "<h1>Change your PIN</h1>" in customer.text


@pytest.mark.parametrize("path", ["/account/pin?test=1", "/account/passkeys/new?test=1"])
def test_a_pin_that_is_forgotten_or_locked_leads_to_a_new_one(customer, path):
    Customer.objects.update(pin_hash="that of a PIN")
    customer.visit(path)
    assert '<a href="/account/pin/forgotten?test=1">Forgot your PIN?</a>' in customer.text

    Customer.objects.update(pin_locked_until=utc_now() + timedelta(minutes=5))
    customer.visit(path)
    assert "Your PIN is locked until " in customer.text
    assert 'type="password"' not in customer.text
    assert 'href="/account/pin/forgotten?test=1">Choose a new PIN</a>' in customer.text
