"""The till in a browser: the cashier's screen beside the phones of its customers."""

import re
from datetime import timedelta

import pytest
from django.db import transaction

from core.clock import utc_now
from merchants.callers import Caller
from payments.confirming import confirm_payment
from payments.counters import screen_url
from payments.models import Payment, Till
from tests.checkout.steps import enter_pin, press, see_paid
from tests.chromium import wait_until
from tests.nights import at_night
from tests.payments.counter_sales import counter_of, ticket_on

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def open_till(open_page, site, counter, **options):
    options = {"width": 1_280, "height": 900} | options
    return open_page(screen_url(counter).removeprefix(site), **options)


def test_the_cashier_picks_and_types_and_the_customer_pays_it(open_page, merchant, site):
    counter = counter_of(merchant, tips_allowed=True)
    products = [{"name": "Sky Juice", "price": 900, "currency": "BSD"}]
    Till.objects.update(products=products)
    till = open_till(open_page, site, counter)
    till.get_by_role("button", name="Sound is off").click()
    for _ in range(2):
        till.get_by_text("Sky Juice").click()
    for key in "1.50":
        till.get_by_role("button", name=key, exact=True).click()
    till.get_by_role("button", name="Show on the code 19.50").click()
    till.get_by_text("Waiting for a scan").wait_for()
    assert till.get_by_role("button", name="Sound is on").is_visible()

    phone = open_page(counter.hosted_url)
    phone.get_by_text("10% · B$1.95").click()
    phone.get_by_role("button", name="Continue").click()
    till.get_by_text("Open on a phone").wait_for()
    press(phone, "Pay B$21.45")
    phone.get_by_label("Phone number").fill("+1 242 555 0100")
    phone.get_by_role("button", name="Text me a code").click()
    phone.get_by_label("Code").fill("000000")
    phone.get_by_role("button", name="Continue").click()
    enter_pin(phone)
    see_paid(phone)

    till.get_by_role("listitem").filter(has_text="Tip B$1.95").wait_for()
    said = till.locator("[data-arrived]").text_content()
    told = r", Phone ending in 0100, \d+:\d\d\s[ap]m"
    assert re.fullmatch(rf"B\$21\.45{told}", said)
    assert till.get_by_text("Open on a phone").count() == 0
    assert Payment.objects.get(static_payment=counter, status="completed").tip == 195

    caller, now = Caller(merchant, livemode=False, actor="key:test"), utc_now()
    with transaction.atomic():  # so that both arrive at once
        for at, amount in ((now, 700), (now + timedelta(seconds=1), 300)):
            confirm_payment(caller=caller, payment_id=counter.id, phone=None, amount=amount, now=at)
    till.get_by_role("listitem").filter(has_text="B$7.00").wait_for()
    said = till.locator("[data-arrived]").text_content()
    assert re.fullmatch(rf"B\$3\.00{told}; B\$7\.00{told}", said)


def test_each_of_several_taps_counts_wherever_the_finger_rests(open_page, merchant, site):
    counter = counter_of(merchant)
    Till.objects.update(products=[{"name": "Sky Juice", "price": 900, "currency": "BSD"}])
    till = open_till(open_page, site, counter)
    tile = till.locator(".product").bounding_box()
    at = (tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] - 8)
    till.mouse.click(*at, click_count=3)
    till.get_by_role("button", name="Show on the code 27.00").wait_for()
    assert not till.locator(".product input").evaluate("(each) => each === document.activeElement")

    till.wait_for_timeout(1_100)
    till.mouse.click(*at)
    till.keyboard.press("ControlOrMeta+a")
    till.keyboard.press("1")
    till.get_by_role("button", name="Show on the code 9.00").wait_for()


def test_the_cashier_takes_a_sum_off_and_is_told_what_is_wrong(open_page, merchant, site):
    till = open_till(open_page, site, counter_of(merchant), width=390, height=844)
    till.get_by_role("button", name="Show on the code").click()
    till.get_by_role("link", name="Enter an amount or pick a product.").wait_for()

    till.get_by_label("Amount").fill("7")
    till.get_by_role("button", name="Show on the code 7.00").click()
    till.get_by_role("button", name="Take off").click()

    till.get_by_text("Waiting for a scan").wait_for(state="detached")


@pytest.mark.parametrize(
    "width",
    [360, 1_280, *at_night(390, 820, why="by day the narrowest of both layouts, or nearly")],
)
def test_the_till_fits_and_keeps_its_light(open_page, merchant, site, width):
    till = open_till(open_page, site, counter_of(merchant), width=width)

    till.get_by_text("This screen stays on.").wait_for()
    assert till.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_without_javascript_the_till_works_too(open_page, merchant, site):
    till = open_till(open_page, site, counter_of(merchant), javascript=False)
    till.get_by_label("Amount").fill("7")
    till.get_by_role("button", name="Show on the code").click()

    till.get_by_text("Waiting for a scan").wait_for()


@pytest.mark.parametrize(
    ("language", "typed", "written"),
    [
        ("fr", "1234,5", "1\u00a0234,50"),
        ("en", "12,50", ""),
        *at_night(
            ("en", "1234.5", "1,234.50"),
            ("es", "1234.5", "1,234.50"),
            ("ht", "1234,5", "1\u00a0234,50"),
            ("en", "12.505", ""),
            why="by day one sum that is written, and one that is none",
        ),
    ],
)
def test_the_button_writes_the_sum_as_the_page_does(
    open_page, merchant, site, language, typed, written
):
    till = open_till(open_page, site, counter_of(merchant), locale=language)
    till.locator("#id_amount").press_sequentially(typed)

    assert till.locator("[data-total]").text_content() == written


def test_three_decimals_are_thousandths(open_page, merchant, site):
    products = [{"name": "Dates", "price": 1_250, "currency": "KWD"}]
    counter = counter_of(merchant, currency="KWD")
    Till.objects.update(products=products)
    till = open_till(open_page, site, counter)
    till.get_by_text("Dates").click()

    till.get_by_role("button", name="Show on the code 1.250").click()
    till.get_by_role("listitem").filter(has_text="KWD\u00a01.250").wait_for()


def test_taking_a_sum_off_leaves_what_is_being_typed(open_page, merchant, site):
    counter = counter_of(merchant)
    ticket_on(counter)
    till = open_till(open_page, site, counter)
    till.get_by_label("Amount").fill("7")
    till.get_by_role("button", name="Take off").click()
    till.get_by_text("Waiting for a scan").wait_for(state="detached")

    assert till.get_by_label("Amount").input_value() == "7"
    till.get_by_role("button", name="Show on the code 7.00").click()
    till.get_by_text("Waiting for a scan").wait_for()


def test_a_press_counts_once_and_can_be_repeated_if_it_fails(open_page, merchant, site):
    till = open_till(open_page, site, counter_of(merchant))
    till.get_by_label("Amount").fill("7")
    held = []
    till.route(
        "**/counter/**",
        lambda route: held.append(route) if route.request.method == "POST" else route.continue_(),
    )
    button = till.get_by_role("button", name="Show on the code 7.00")
    button.evaluate("(button) => { button.click(); button.click(); }")
    wait_until(till, lambda: held)
    held[0].fulfill(status=404, content_type="text/html", body="<h1>We cannot find it</h1>")
    till.get_by_text("This screen has a new address").wait_for()

    assert len(held) == 1
    assert till.locator(".keys button").count() == 12
    assert till.get_by_label("Amount").input_value() == "7"
    till.unroute_all()
    till.get_by_label("Amount").fill("9")
    till.get_by_role("button", name="Show on the code 9.00").click()
    till.get_by_text("Waiting for a scan").wait_for()


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_the_till_says_what_is_wrong_when_too_much_is_asked(open_page, merchant, site, method):
    """It said that there is no connection, which no cashier can find."""
    till = open_till(open_page, site, counter_of(merchant))
    till.route(
        "**/counter/**",
        lambda route: (
            route.fulfill(status=429, content_type="text/html", body="<h1>No</h1>")
            if route.request.method == method
            else route.continue_()
        ),
    )
    if method == "POST":
        till.get_by_label("Amount").fill("7")
        till.get_by_role("button", name="Show on the code 7.00").click()

    till.get_by_text("Too many requests: wait a moment, then try again").wait_for()

    till.unroute_all()
    till.get_by_text("Connected", exact=True).wait_for()


def test_the_keyboard_keeps_its_place_while_the_lists_are_renewed(open_page, merchant, site):
    counter = counter_of(merchant)
    first = ticket_on(counter, 700)
    till = open_till(open_page, site, counter)
    till.get_by_role("button", name="Take off").focus()
    ticket_on(counter, 900)
    till.get_by_role("button", name="Take off B$9.00").wait_for()
    assert till.evaluate("document.activeElement.value") == first.id

    till.keyboard.press("Enter")
    till.get_by_role("button", name="Take off B$7.00").wait_for(state="detached")
    assert till.evaluate("document.activeElement.id") == "id_amount"


@pytest.mark.parametrize(("width", "height"), [(360, 640), (390, 844), (1_280, 900)])
def test_nothing_moves_when_the_keypad_appears(open_page, merchant, site, width, height):
    counter = counter_of(merchant)
    moved = {}
    for path, below in (
        (counter.hosted_url, "form .pay"),
        (screen_url(counter).removeprefix(site), ".till .pay"),
    ):
        page = open_page(path, width=width, height=height)
        keypad_button = page.get_by_role("button", name="7", exact=True)
        keypad_button.wait_for()
        filled = page.locator(below).bounding_box()
        page.route("**/*.js", lambda each: each.fulfill(body="", content_type="text/javascript"))
        page.reload()
        assert keypad_button.count() == 0
        moved[below] = filled["y"] - page.locator(below).bounding_box()["y"]

    assert {below: by for below, by in moved.items() if abs(by) > 1} == {}
