"""Back, Forward, reload, and on to the shop: always a page of ours, and nothing twice."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import test_customer
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.descriptions import CHANGED, describe
from tests.checkout.steps import (
    enter_pin,
    open_signed_in,
    press,
    see_paid,
    sign_in,
    stop_clock,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_wrong_pin_is_counted_once_whatever_is_pressed_after_it(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_page(payment.hosted_url)
    sign_in(page)
    enter_pin(page, "9999")
    page.get_by_role("link", name="4 attempts left").wait_for()
    for go in (page.reload, page.go_back, page.go_forward, page.reload):
        go()
        page.locator("h1").wait_for()
        assert page.get_by_role("link", name="attempts left").count() == 0
    assert Customer.objects.get().pin_failures == 1

    enter_pin(page)
    see_paid(page)
    for _ in range(3):
        page.go_back()
        see_paid(page)
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED


def test_a_refused_phone_stays_typed_and_back_leads_to_the_payment(open_page, payment_of):
    page = open_page(payment_of(150).hosted_url)
    press(page, "Pay B$1.50")
    page.get_by_label("Phone number").fill("12 34")
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_role("link", name="Enter a mobile number").wait_for()
    assert page.get_by_label("Phone number").input_value() == "12 34"

    assert page.reload().status == 200
    page.go_back()
    if page.url.endswith("/phone"):
        page.go_back()
    assert page.get_by_role("button", name="Pay B$1.50").is_visible()


def test_a_page_whose_cookies_are_gone_goes_on_and_back_stays_with_us(open_page, payment_of):
    payment = payment_of(150)
    page = open_page(payment.hosted_url)
    page.context.clear_cookies()
    press(page, "Pay B$1.50")
    page.get_by_role("heading", name="Your browser sent no cookie").wait_for()
    page.get_by_role("link", name="Continue with the payment").click()
    page.get_by_role("button", name="Pay B$1.50").wait_for()
    page.go_back()

    assert page.get_by_role("button", name="Pay B$1.50").is_visible()


def test_a_passed_on_address_takes_only_the_tab_that_waited_to_the_shop(open_page, payment_of):
    payment = payment_of(150, success_url="http://localhost:9/ok")
    waiting = open_page(payment.hosted_url)
    payer = test_customer(None, utc_now(), merchant_id=payment.merchant_id)
    pay(
        payment_id=payment.id,
        customer=payer,
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )
    taken = "Taking you to localhost in 10 seconds."
    waiting.get_by_text(taken).wait_for()

    stranger = waiting.context.browser.new_page()
    stranger.goto(waiting.url.split("?")[0] + "?paid=1")
    see_paid(stranger)
    assert stranger.get_by_role("link", name="Return to").is_visible()
    assert not stranger.get_by_text(taken).is_visible()


def test_words_that_have_changed_are_told_whatever_leads_to_the_pin(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_page(payment.hosted_url)
    sign_in(page)
    page.get_by_label("PIN").wait_for()
    describe(payment, "A box")
    for go in (page.reload, page.go_back, page.go_forward):
        go()
        page.get_by_text(CHANGED).wait_for()

    press(page, "Pay B$12.50")
    enter_pin(page)
    see_paid(page)


def test_a_language_pressed_at_the_foot_of_a_page_stays(open_page, payment_of):
    """By what browsers say of where a link was pressed."""
    page = open_page(payment_of(150).hosted_url)
    page.get_by_role("link", name="Français").click()
    page.get_by_role("button", name="Payer").click()
    page.wait_for_url("**/phone")

    assert page.locator("html").get_attribute("lang") == "fr"


def just_paid(open_page, payment):
    """Return the page of a payment of B$1.50 that it has just paid, with its clock stopped."""
    page = open_signed_in(open_page, payment, allowed="shop.example")
    button = page.get_by_role("button", name="Pay B$1.50")
    button.click(trial=True)  # waits until it can be pressed
    stop_clock(page)
    button.click()
    see_paid(page)
    page.get_by_role("button", name="Stay here").wait_for()  # the way to the shop has begun
    return page


# From line to line of what is said, in pixels
PITCH = """
() => {
  const words = document.createRange();
  words.selectNodeContents(document.querySelector("[data-going] [role=status]").firstChild);
  const tops = [...new Set([...words.getClientRects()].map((line) => line.top))];
  return tops.slice(1).map((top, index) => top - tops[index]);
}
"""


def test_the_way_to_the_shop_is_slow_and_can_be_stopped(open_page, payment_of):
    payment = payment_of(150, success_url="https://shop.example/thanks?order=7")
    page = just_paid(open_page, payment)
    page.set_viewport_size({"width": 320, "height": 640})
    pitch = page.evaluate(PITCH)
    assert pitch, "it is longer than a line there"
    assert max(pitch) < 30, "the height of the button is not that of a line"
    page.clock.run_for(8_000)
    page.get_by_role("button", name="Stay here").click()
    page.clock.run_for(8_000)
    assert page.get_by_text("You will stay on this page.").is_visible()

    page.reload()
    page.clock.run_for(11_000)
    assert page.url.endswith(payment.hosted_url)
    page.get_by_role("link", name="Return to").click()
    page.wait_for_url(f"https://shop.example/thanks?order=7&payment_id={payment.id}")


def test_who_has_just_paid_is_taken_to_the_shop_once(open_page, payment_of):
    payment = payment_of(150, success_url="https://shop.example/thanks?order=7")
    page = just_paid(open_page, payment)
    page.clock.run_for(11_000)
    page.wait_for_url(f"https://shop.example/thanks?order=7&payment_id={payment.id}")
    page.go_back()
    see_paid(page)
    page.clock.run_for(11_000)

    assert page.url.endswith(payment.hosted_url)
