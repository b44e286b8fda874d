"""Customers pay in a real browser."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import top_up
from payments.statuses import PaymentStatus
from tests.checkout.steps import (
    NEW_PHONE,
    enter_pin,
    open_signed_in,
    press,
    see_paid,
    sign_in,
    status_of,
)
from tests.factories import CustomerFactory
from tests.nights import at_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("javascript", [True, False])
def test_150_takes_a_tap(open_page, payment_of, javascript):
    payment = payment_of(150, description="Coffee")
    page = open_page(payment.hosted_url, javascript=javascript)
    sign_in(page)
    press(page, "Pay B$1.50")

    see_paid(page)
    assert status_of(payment) == PaymentStatus.COMPLETED


@pytest.mark.parametrize("javascript", [True, False])
def test_1250_takes_a_pin(open_page, payment_of, javascript):
    payment = payment_of(1_250)
    page = open_page(payment.hosted_url, javascript=javascript)
    sign_in(page)
    enter_pin(page)

    see_paid(page)
    assert status_of(payment) == PaymentStatus.COMPLETED


def test_five_wrong_pins_lock_it_and_a_new_one_pays_the_same_payment(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_signed_in(open_page, payment, NEW_PHONE)
    for left in (4, 3, 2):
        enter_pin(page, "9999")
        page.get_by_role("link", name=f"That PIN is not right. {left} attempts left.").wait_for()
        assert page.title().startswith("Error: ")
        page.locator("[role=alert]:focus").wait_for()
        assert page.get_by_label("PIN", exact=True).input_value() == ""
    enter_pin(page, "9999")
    page.get_by_role("link", name="That PIN is not right. 1 attempt left.").wait_for()
    enter_pin(page, "9999")

    page.get_by_role("heading", name="Your PIN is locked").wait_for()
    assert page.get_by_text("No money has been taken.").is_visible()
    assert page.get_by_label("PIN", exact=True).count() == 0
    assert status_of(payment) == PaymentStatus.PENDING

    page.get_by_role("link", name="Choose a new PIN").click()
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_label("Code").fill("000000")
    page.get_by_label("New PIN").fill("8305")
    page.get_by_role("button", name="Save PIN").click()
    enter_pin(page, "8305")
    see_paid(page)


def test_a_decline_leaves_the_payment_open_for_another_wallet(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_signed_in(open_page, payment, "+1 242 555 0103")
    enter_pin(page)
    page.get_by_role("heading", name="The payment was declined").wait_for()
    assert page.get_by_text("No money has been taken.").is_visible()
    assert status_of(payment) == PaymentStatus.PENDING

    page.get_by_role("link", name="Use another phone number").click()
    page.get_by_label("Phone number").fill(NEW_PHONE)
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Continue").click()
    enter_pin(page)
    see_paid(page)


def test_a_locked_pin_says_until_when_and_leaves_the_payment_payable(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_signed_in(open_page, payment, "+1 242 555 0106")

    page.get_by_text("Your PIN is locked until").wait_for()
    assert page.get_by_label("PIN", exact=True).count() == 0
    assert status_of(payment) == PaymentStatus.REQUIRES_ACTION


def test_too_little_money_says_what_is_missing_and_is_paid_after_a_top_up(open_page, payment_of):
    payment = payment_of(1_250)
    poor = CustomerFactory(merchant=payment.merchant, phone="+12425550101")
    top_up(customer=poor, amount=410, currency="BSD", now=utc_now())
    page = open_signed_in(open_page, payment, poor.phone)
    page.get_by_text("Your balance is B$4.10; this payment needs B$12.50.").wait_for()
    assert page.reload().status == 200
    assert page.get_by_text("B$8.40").is_visible()
    assert status_of(payment) == PaymentStatus.PENDING

    # The magic phone never has enough; the customer's own phone now has.
    top_up(customer=poor, amount=1_000, currency="BSD", now=utc_now())
    Customer.objects.filter(pk=poor.pk).update(phone="+12425550199")
    press(page, "I have added money: try again")
    enter_pin(page)
    see_paid(page)


def test_a_slow_payment_is_waited_for_until_it_is_paid(open_page, payment_of):
    from customers.magic_phones import SLOW_SETTLEMENT
    from payments.expiry import settle_due

    payment = payment_of(150)
    page = open_signed_in(open_page, payment, "+1 242 555 0104")
    press(page, "Pay B$1.50")
    page.get_by_role("heading", name="Paying…").wait_for()
    assert status_of(payment) == PaymentStatus.PROCESSING
    settle_due(now=utc_now() + SLOW_SETTLEMENT)

    see_paid(page)


LANGUAGES = {
    "en": ("Pay B$1.50", "Phone number", "Text me a code", "Code", "Continue", "Paid"),
    "es": (
        "Pagar B$1.50",
        "Número de celular",
        "Envíenme un código",
        "Código",
        "Continuar",
        "Pagado",
    ),
    "fr": (
        "Payer 1,50 B$",
        "Numéro de téléphone",
        "Envoyez-moi un code",
        "Code",
        "Continuer",
        "Payé",
    ),
    "ht": (
        "Peye 1,50 B$",
        "Nimewo telefòn",
        "Voye yon kòd ban mwen",
        "Kòd",
        "Kontinye",
        "Peman an fèt",
    ),
}


@pytest.mark.parametrize(
    "language",
    ["ht", *at_night("en", "es", "fr", why="tests/checkout/test_languages.py reads each catalog")],
)
def test_each_language_leads_to_paid(open_page, payment_of, language):
    pay, phone, text_me, code, go_on, paid = LANGUAGES[language]
    payment = payment_of(150)
    page = open_page(payment.hosted_url, locale=language)
    page.get_by_role("button", name=pay).click()
    page.get_by_label(phone).fill("+12425550100")
    page.get_by_role("button", name=text_me).click()
    page.get_by_label(code).fill("000000")
    page.get_by_role("button", name=go_on).click()
    page.get_by_role("button", name=pay).click()

    page.get_by_role("heading", name=paid, exact=True).wait_for()
    assert page.evaluate("document.documentElement.lang") == language


def test_the_keyboard_alone_leads_from_the_page_to_the_receipt(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_page(payment.hosted_url)

    def tab_to(name: str) -> None:
        for _ in range(20):
            page.keyboard.press("Tab")
            focused = "document.activeElement.labels?.[0]?.textContent || "
            focused += "document.activeElement.textContent"
            if page.evaluate(focused).strip().startswith(name):
                return
        pytest.fail(f"no way to {name} by keyboard")

    tab_to("Pay ")
    page.keyboard.press("Enter")
    for label, value in (("Phone number", "+12425550100"), ("Code", "000000"), ("PIN", "1234")):
        page.get_by_label(label, exact=True).wait_for()
        tab_to(label)
        page.keyboard.type(value)
        page.locator("button.pay:not([aria-disabled])").wait_for()
        page.keyboard.press("Enter")
    see_paid(page)
    tab_to("Print")
    assert page.get_by_text("Receipt number").is_visible()
