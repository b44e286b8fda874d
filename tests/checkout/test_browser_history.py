"""Back, Forward and reload at every step, also after its errors: always a page of ours."""

import re

import pytest
from playwright.sync_api import Page

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, top_up
from ledger.models import Transfer
from payments.models import Payment
from tests.checkout.steps import NEW_PHONE, add_passkey, enter_pin, see_paid, sign_in
from tests.chromium import add_authenticator
from tests.factories import CustomerFactory
from tests.payments.counter_sales import counter_of, ticket_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OTHER_WAYS = "by day the way that most customers go; reload and history are the browser's"


def survives_reload_and_history(page: Page, heading: str) -> None:
    """Reload a step, leave it by Back and return by Forward: it is still there, and well."""
    step = page.get_by_role("heading", name=heading, exact=True)
    step.wait_for()
    reload(page)
    step.wait_for()
    page.go_back()
    page.locator("main h1").first.wait_for()
    assert page.url.startswith("http://localhost")
    page.go_forward()
    step.wait_for()
    reload(page)
    step.wait_for()


def reload(page: Page) -> None:
    response = page.reload()
    assert response is not None
    assert response.status == 200


def submit(page: Page, button: str, **fields: str) -> None:
    for label, value in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).fill(value)
    page.get_by_role("button", name=re.compile(f"^{button}")).click()


def see_error(page: Page, words: str) -> None:
    page.get_by_role("alert").get_by_text(words).wait_for()


def test_phone_code_and_pin(open_page, payment_of):
    page = open_page(payment_of(1_250).hosted_url)
    submit(page, "Pay ")
    survives_reload_and_history(page, "Your phone number")
    submit(page, "Text me a code", Phone_number="12 34")
    see_error(page, "Enter a mobile number")
    survives_reload_and_history(page, "Your phone number")
    submit(page, "Text me a code", Phone_number=NEW_PHONE)
    survives_reload_and_history(page, "Enter the code we sent you")
    submit(page, "Continue", Code="111111")
    see_error(page, "That code is not right. 4 attempts left.")
    survives_reload_and_history(page, "Enter the code we sent you")
    submit(page, "Send a new code")
    survives_reload_and_history(page, "Enter the code we sent you")
    submit(page, "Continue", Code="000000")
    survives_reload_and_history(page, "Enter your PIN")
    submit(page, "Pay ", PIN="9999")
    see_error(page, "That PIN is not right. 4 attempts left.")
    survives_reload_and_history(page, "Enter your PIN")
    submit(page, "Pay ", PIN="1234")
    survives_reload_and_history(page, "Paid")

    assert Customer.objects.get().pin_failures == 0
    assert Transfer.objects.filter(kind="payment").count() == 1


@pytest.mark.night(OTHER_WAYS)
def test_a_first_pin_and_a_first_passkey(open_page, payment_of, texts):
    phone = "+12423591234"
    owner = find_or_create(phone=phone, now=utc_now())
    top_up(customer=owner, amount=100_000, currency="BSD", now=utc_now())
    page = open_page(payment_of(1_250, livemode=True).hosted_url)
    add_authenticator(page)
    submit(page, "Pay ")
    submit(page, "Text me a code", Phone_number=phone)
    page.get_by_role("heading", name="Enter the code we sent you").wait_for()
    submit(page, "Continue", Code=texts.code)
    survives_reload_and_history(page, "One more code")
    submit(page, "Text me a code")
    page.get_by_label("Code").wait_for()
    submit(page, "Continue", Code=texts.code)
    survives_reload_and_history(page, "Choose a PIN")
    submit(page, "Save PIN and pay", New_PIN="1111")
    see_error(page, "That PIN is too easy to guess.")
    survives_reload_and_history(page, "Choose a PIN")
    page.get_by_role("link", name="Use your face or fingerprint instead").click()
    survives_reload_and_history(page, "Create a passkey")
    add_passkey(page)
    survives_reload_and_history(page, "Paid")


@pytest.mark.night(OTHER_WAYS)
def test_a_passkey_that_is_refused_and_one_that_pays(open_page, payment_of, site):
    page = open_page(payment_of(12_500).hosted_url)
    devtools, device = add_authenticator(page)
    sign_in(page, NEW_PHONE)
    survives_reload_and_history(page, "Create a passkey")
    add_passkey(page)
    see_paid(page)
    page.goto(site + payment_of(12_501).hosted_url)
    submit(page, "Pay another way")
    survives_reload_and_history(page, "Confirm with your passkey")
    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    submit(page, "Pay ")
    see_error(page, "The dialog was closed before it finished.")
    survives_reload_and_history(page, "Confirm with your passkey")
    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
    submit(page, "Pay ")
    survives_reload_and_history(page, "Paid")


def signed_in_with(payment: Payment, open_page, *, phone: str, amount: int) -> Page:
    """Open the payment as a customer whose wallet holds an amount."""
    customer = CustomerFactory(merchant=payment.merchant, phone=phone)
    top_up(customer=customer, amount=amount, currency="BSD", now=utc_now())
    page = open_page(payment.hosted_url)
    sign_in(page, phone)
    return page


@pytest.mark.night(OTHER_WAYS)
def test_too_little_money(open_page, payment_of):
    page = signed_in_with(payment_of(1_250), open_page, phone="+12425550101", amount=410)
    survives_reload_and_history(page, "Add B$8.40")


@pytest.mark.night(OTHER_WAYS)
def test_a_decline(open_page, payment_of):
    page = signed_in_with(payment_of(1_250), open_page, phone="+12425550103", amount=9_000)
    enter_pin(page)
    survives_reload_and_history(page, "The payment was declined")


@pytest.mark.night(OTHER_WAYS)
@pytest.mark.parametrize(
    ("outcome", "heading"),
    [("Wrong PIN", "The payment failed"), ("Expire", "Payment Expired")],
)
def test_the_end_of_a_payment(open_page, payment_of, outcome, heading):
    page = open_page(payment_of(1_250).hosted_url)
    page.get_by_text("Test tools").click()
    page.get_by_role("button", name=outcome).click()
    survives_reload_and_history(page, heading)
    submit(page, "Ask for a new payment")
    page.get_by_text("We have asked").wait_for()
    survives_reload_and_history(page, heading)


@pytest.mark.night(OTHER_WAYS)
def test_canceling(open_page, payment_of):
    page = open_page(payment_of(1_250).hosted_url)
    page.get_by_role("link", name="Cancel this payment").click()
    survives_reload_and_history(page, "Cancel this payment?")
    submit(page, "Cancel payment")
    survives_reload_and_history(page, "This payment was canceled")


@pytest.mark.night(OTHER_WAYS)
def test_the_sums_of_a_counter(open_page, merchant):
    counter = counter_of(merchant, tips_allowed=True)
    page = open_page(counter.hosted_url)
    submit(page, "Continue", Amount="x")
    see_error(page, "Enter an amount")
    survives_reload_and_history(page, merchant.name)
    submit(page, "Continue", Amount="12.50")
    survives_reload_and_history(page, merchant.name)
    page.get_by_role("button", name="Pay B$12.50").wait_for()
    ticket_on(counter, 1_800)
    page.goto(page.url.split("/checkout")[0] + counter.hosted_url)
    page.get_by_text("10% · B$1.80").click()
    submit(page, "Continue")
    survives_reload_and_history(page, merchant.name)
    page.get_by_role("button", name="Pay B$19.80").wait_for()


@pytest.mark.night(OTHER_WAYS)
def test_the_own_page(open_page, payment_of, site):
    payment = payment_of(100)
    page = open_page(f"/account?test={payment.id}")
    submit(page, "Text me a code", Phone_number=NEW_PHONE)
    survives_reload_and_history(page, "Enter the code we sent you")
    submit(page, "Continue", Code="000000")
    survives_reload_and_history(page, "Your wallet")
    page.get_by_role("link", name="Change your PIN").click()
    submit(page, "Save PIN", Current_PIN="9999", New_PIN="8305")
    see_error(page, "That PIN is not right. 4 attempts left.")
    survives_reload_and_history(page, "Change your PIN")
    page.goto(f"{site}/account?test=1")
    page.get_by_role("link", name="Create a passkey").click()
    submit(page, "Continue", PIN="9999")
    see_error(page, "That PIN is not right. 3 attempts left.")
    survives_reload_and_history(page, "Create a passkey")
    page.goto(f"{site}/account?test=1")
    page.get_by_role("link", name="Add money").click()
    submit(page, "Simulated", Amount="x")
    see_error(page, "Enter an amount")
    survives_reload_and_history(page, "Add money")
