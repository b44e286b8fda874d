"""More than one page at a time: two devices, two tabs, a counter with its screen; and time."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from ledger.models import Transfer
from merchants.callers import Caller
from payments.counters import screen_url
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.services import RefundDraft, create_refund
from tests.checkout.steps import enter_pin, open_signed_in, press, see_paid, sign_in
from tests.nights import at_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_desktop_turns_by_itself_when_the_phone_has_paid(open_page, payment_of):
    payment = payment_of(1_250, success_url="https://shop.example/thanks?order=7")
    desktop = open_page(payment.hosted_url, width=1_440, height=900, allowed="shop.example")
    code = desktop.get_by_role("img", name="QR code that opens")
    assert code.is_visible()
    form = desktop.get_by_role("button", name="Pay B$12.50").bounding_box()
    assert code.bounding_box()["x"] > form["x"] + form["width"]

    phone = open_signed_in(open_page, payment, allowed="shop.example")
    enter_pin(phone)
    see_paid(phone)

    see_paid(desktop)
    assert code.count() == 0


def test_a_proof_that_is_looked_at_again_shows_the_refund(open_page, payment_of, merchant):
    payment = payment_of(150)
    page = open_signed_in(open_page, payment)
    press(page, "Pay B$1.50")
    see_paid(page)
    caller = Caller(merchant, livemode=False, actor="test")
    draft = RefundDraft(amount=None, reason="")
    create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())
    page.reload()

    page.get_by_role("heading", name="Refunded in full", exact=True).wait_for()
    assert page.get_by_role("heading", name="Paid", exact=True).count() == 0


def test_two_tabs_pay_once(open_page, payment_of):
    payment = payment_of(150)
    first = open_signed_in(open_page, payment)
    second = first.context.new_page()
    second.goto(first.url)
    second.evaluate("document.querySelector('main').dataset.poll = ''")
    press(first, "Pay B$1.50")
    see_paid(first)

    see_paid(second)
    assert Transfer.objects.filter(kind="payment").count() == 1


def test_going_back_after_paying_does_not_offer_to_pay_again(open_page, payment_of):
    payment = payment_of(150)
    page = open_page(payment.hosted_url)
    sign_in(page)
    press(page, "Pay B$1.50")
    see_paid(page)
    page.go_back()

    see_paid(page)


def test_a_page_that_is_open_tells_that_the_time_has_run_out(open_page, payment_of):
    payment = payment_of(150)
    page = open_page(payment.hosted_url)
    assert page.get_by_role("button", name="Pay B$1.50").is_visible()
    Payment.objects.filter(pk=payment.pk).update(expires_at=utc_now())

    page.get_by_role("heading", name="Payment Expired").wait_for()
    assert page.get_by_role("button", name="Pay B$1.50").count() == 0


def test_one_press_returns_to_the_shop_and_leaves_the_payment_alive(open_page, payment_of):
    payment = payment_of(150, cancel_url="https://shop.example/basket/{PAYMENT_ID}")
    page = open_page(payment.hosted_url, allowed="shop.example")
    page.get_by_role("link", name=f"Return to {payment.merchant.name}").click()
    page.wait_for_url(f"https://shop.example/basket/{payment.id}")
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED

    page.go_back()
    assert page.get_by_role("button", name="Pay B$1.50").is_visible()


def test_canceling_asks_once_more_is_no_main_button_and_tells_the_shop(open_page, payment_of):
    payment = payment_of(150, cancel_url="https://shop.example/basket/{PAYMENT_ID}")
    page = open_page(payment.hosted_url, allowed="shop.example")
    page.get_by_role("link", name="Cancel this payment").click()
    assert "pay" not in page.get_by_role("button", name="Cancel payment").get_attribute("class")
    page.get_by_role("link", name="Keep it, go back").click()
    page.get_by_role("link", name="Cancel this payment").click()
    page.get_by_role("button", name="Cancel payment").click()
    page.get_by_role("heading", name="This payment was canceled").wait_for()
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CANCELED

    page.get_by_role("link", name="Return to").click()
    page.wait_for_url(f"https://shop.example/basket/{payment.id}")


def test_back_from_the_pin_leads_to_the_review_and_on_again(open_page, payment_of):
    payment = payment_of(1_250)
    page = open_signed_in(open_page, payment)
    page.get_by_role("button", name="Back").click()
    page.get_by_text("From the wallet of +1 242 ••• 0100.").wait_for()
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING

    enter_pin(page)
    see_paid(page)


def test_two_customers_pay_at_a_counter_and_its_screen_lists_both(open_page, payment_of, site):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description="Bar")
    screen = open_page(screen_url(counter).removeprefix(site), width=1_440, height=900)
    screen.get_by_text("Nothing paid yet.").wait_for()
    assert screen.get_by_role("button", name="Sound is off").is_visible()

    for phone, keys in (("+1 242 555 0177", "1.50"), ("+1 242 555 0178", "2")):
        page = open_page(counter.hosted_url)
        for key in keys:
            page.get_by_role("button", name=key, exact=True).click()
        page.get_by_role("button", name="Continue").click()
        sign_in(page, phone)
        press(page, "Pay B$")
        see_paid(page)
        screen.get_by_role("listitem").filter(has_text=phone[-4:]).wait_for()

    screen.get_by_role("button", name="Sound is off").click()
    assert screen.get_by_role("button", name="Sound is on").is_visible()
    counter.refresh_from_db()
    assert counter.status == PaymentStatus.CREATED
    assert Payment.objects.filter(static_payment=counter, status="completed").count() == 2


def test_the_screen_of_a_counter_says_what_it_has_lost(open_page, payment_of, site):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    screen = open_page(screen_url(counter).removeprefix(site))
    screen.context.route("**/feed", lambda route: route.fulfill(status=403, body=""))
    screen.get_by_text("No connection: this list may be out of date").wait_for()

    screen.context.route("**/feed", lambda route: route.fulfill(status=404, body=""))
    screen.get_by_text("This screen has a new address: ask for it").wait_for()


@pytest.mark.parametrize(
    ("outcome", "heading"),
    [
        ("Not enough money", "Add B$125.00"),
        *at_night(
            ("Approve", "Paid"),
            ("Wrong PIN", "The payment failed"),
            ("Decline", "The payment failed"),
            ("Expire", "Payment Expired"),
            why="the buttons are five of one kind; what each does is tested without a browser",
        ),
    ],
)
def test_the_test_tools_end_a_payment_in_every_way(open_page, payment_of, outcome, heading):
    page = open_page(payment_of(12_500).hosted_url)
    page.get_by_text("Test tools").click()
    page.get_by_role("button", name=outcome).click()

    page.get_by_role("heading", name=heading, exact=True).wait_for()


def test_the_keypad_of_a_currency_without_cents_types_none(open_page, payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, currency="JPY")
    page = open_page(counter.hosted_url)
    for key in "12345":
        page.get_by_role("button", name=key, exact=True).click()

    assert page.locator("#id_amount").input_value() == "12,345"
    assert page.locator(".keys button").count() == 11
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Pay JP¥12,345").wait_for()


@pytest.mark.parametrize(
    ("language", "typed", "shown"),
    [
        ("en", "12345,67", "12,345,67"),
        ("fr", "1234.50", "1\u00a0234.50"),
        *at_night(
            ("en", "1234567.5", "1,234,567.5"),
            ("en", "12,50", "12,50"),
            ("fr", "1234,5", "1\u00a0234,5"),
            ("fr", "12.50", "12.50"),
            why="by day the hardest of each way to write a number",
        ),
    ],
)
def test_the_keypad_groups_thousands_and_never_changes_what_was_meant(
    open_page, payment_of, language, typed, shown
):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    page = open_page(counter.hosted_url, locale=language)
    page.locator("#id_amount").press_sequentially(typed)

    assert page.locator("#id_amount").input_value() == shown
    page.locator("#id_amount").press("End")
    for _ in shown:
        page.locator("#id_amount").press("Backspace")
    for digit in "12345":
        page.get_by_role("button", name=digit, exact=True).click()
    grouped = page.locator("#id_amount").input_value()
    assert grouped.replace("\u00a0", ",") == "12,345"


def test_a_whole_hour_is_told_without_minutes(open_page, payment_of):
    payment = payment_of(150, expires_at=utc_now() + timedelta(hours=24))
    page = open_page(payment.hosted_url)
    page.clock.install()
    page.reload()
    ticking = page.locator("[data-ticking]")
    assert ticking.text_content() == "24 h left"

    page.clock.run_for(70_000)
    assert ticking.text_content() == "23 h 59 min left"


def test_the_time_left_ticks_for_the_eye_and_speaks_at_five_minutes_and_at_one(
    open_page, payment_of
):
    payment = payment_of(150, expires_at=utc_now() + timedelta(minutes=6, seconds=30))
    page = open_page(payment.hosted_url)
    page.clock.install()
    page.reload()
    said = page.locator("[data-status]")
    ticking = page.locator("[data-ticking]")
    assert ticking.get_attribute("aria-hidden") == "true"
    assert ticking.text_content() == "7 min left"
    assert said.text_content() == ""

    page.clock.run_for(2 * 60_000)
    assert said.text_content() == "5 minutes left to pay."
    page.clock.run_for(4 * 60_000)
    assert said.text_content() == "One minute left to pay."
    assert ticking.text_content() == "1 min left"
