"""What goes wrong between a page and the service: no answer, a wrong clock, a refusal."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from payments.counters import screen_url
from tests.checkout.steps import NEW_PHONE, open_signed_in, see_paid
from tests.chromium import add_authenticator

LOOKED_AT_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("hours", [-3, 3])
def test_the_time_left_is_that_of_the_service_whatever_clock_the_phone_has(
    open_page, payment_of, hours
):
    payment = payment_of(150, expires_at=utc_now() + timedelta(minutes=20, seconds=55))
    page = open_page(payment.hosted_url)
    page.clock.install(time=utc_now() + timedelta(hours=hours))
    page.reload()
    loads = []
    page.on("load", lambda: loads.append(page.url))

    page.clock.run_for(10_000)

    assert page.locator("[data-ticking]").text_content() == "21 min left"
    assert loads == []


def test_a_press_that_leads_nowhere_can_be_repeated(open_page, payment_of):
    page = open_signed_in(open_page, payment_of(150))
    page.clock.install()
    page.get_by_text("From the wallet of").wait_for()
    page.reload()
    page.route("**/pay", lambda route: route.fulfill(status=204))
    button = page.locator(".stick .pay")
    button.click()
    assert button.text_content() == "Paying…"
    page.clock.run_for(21_000)
    assert button.text_content() == "Pay B$1.50"

    page.unroute_all()
    button.click()
    see_paid(page)


def test_a_press_without_a_network_keeps_what_was_typed(open_page, payment_of):
    """The browser showed a page of its own instead, and the PIN was gone."""
    page = open_signed_in(open_page, payment_of(1_250))
    page.get_by_label("PIN", exact=True).fill("1234")
    page.context.set_offline(True)
    button = page.get_by_role("button", name="Pay B$12.50")
    button.click()
    page.get_by_role("alert").get_by_text("You are offline.").wait_for()
    assert page.get_by_label("PIN", exact=True).input_value() == "1234"
    page.evaluate(LOOKED_AT_AGAIN)  # asks nothing, which the console would tell

    with page.expect_request("**/status"):
        page.context.set_offline(False)
    page.get_by_text("You are offline.").wait_for(state="hidden")
    button.click()
    see_paid(page)


def test_a_page_that_only_takes_itself_for_offline_asks_all_the_same(open_page, payment_of, site):
    """It asked never again, and went on showing a payment that had been paid elsewhere."""
    page = open_page("/pay/nothing")
    page.add_init_script(
        """Object.defineProperty(Navigator.prototype, "onLine", { get: () => false })"""
    )
    page.clock.install()
    page.goto(site + payment_of(150).hosted_url)

    with page.expect_request("**/status"):
        page.clock.run_for(35_000)


def test_a_link_that_may_not_be_copied_shows_itself(open_page, payment_of, site):
    payment = payment_of(150)
    page = open_page(payment.hosted_url)
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }")
    page.get_by_text("Pay on another device").click()
    page.locator(".elsewhere [data-copy]").click()

    page.get_by_role("link", name=f"{site}{payment.hosted_url}").wait_for()


def test_too_many_attempts_with_a_passkey_say_so(open_page, payment_of):
    page = open_signed_in(open_page, payment_of(12_500))
    add_authenticator(page)
    page.get_by_role("heading", name="Create a passkey").wait_for()
    page.route("**/options", lambda route: route.fulfill(status=429, body="{}"))
    page.get_by_role("button", name="Create a passkey and pay").click()

    page.get_by_role("alert").get_by_text("Wait a few minutes, then try again.").wait_for()


def test_a_device_that_has_a_passkey_already_says_so(open_page, payment_of, site):
    payment = payment_of(150)
    page = open_signed_in(open_page, payment, NEW_PHONE)
    add_authenticator(page)
    page.goto(f"{site}/account/passkeys/new?test={payment.id}")
    page.get_by_role("button", name="Create a passkey").click()
    page.get_by_text("Your passkey is ready.").wait_for()

    page.get_by_role("link", name="Create a passkey").click()
    page.get_by_role("button", name="Create a passkey").click()
    page.get_by_role("alert").get_by_text("This device already has a passkey").wait_for()
    assert page.get_by_role("button", name="Create a passkey").is_enabled()


def test_a_counter_lists_what_is_paid_where_nothing_may_be_kept(open_page, payment_of, site):
    counter = payment_of(500, payment_mode="STATIC_PAY", expires_at=None)
    screen = open_page("/pay/nothing")
    screen.add_init_script(
        """Object.defineProperty(window, "localStorage", { get() { throw new Error(); } })"""
    )
    with screen.expect_response("**/feed"):
        screen.goto(screen_url(counter))

    screen.get_by_role("button", name="Sound is off").click()
    screen.get_by_role("button", name="Sound is on").wait_for()
