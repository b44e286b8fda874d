"""Customers pay by passkey in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Error, Page, Route

from payments.statuses import PaymentStatus
from tests.checkout.steps import (
    NEW_PHONE,
    add_passkey,
    enter_pin,
    press,
    see_paid,
    sessions,
    sign_in,
    status_of,
)
from tests.chromium import add_authenticator
from tests.nights import at_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_12500_takes_one_ceremony_with_a_new_passkey_and_one_press_the_next_time(
    open_page, payment_of
):
    first, second = payment_of(12_500), payment_of(12_501)
    page = open_page(first.hosted_url)
    add_authenticator(page)
    sign_in(page, NEW_PHONE)
    add_passkey(page)
    see_paid(page)
    assert status_of(first) == PaymentStatus.COMPLETED

    page.goto(page.url.split("/checkout")[0] + second.hosted_url)
    press(page, "Pay B$125.01")
    see_paid(page)
    assert status_of(second) == PaymentStatus.COMPLETED


AMOUNTS = "by day one amount; what each asks for is tested without a browser as well"


@pytest.mark.parametrize("amount", [1_250, *at_night(150, 12_500, why=AMOUNTS)])
def test_a_known_device_signs_in_and_pays_by_one_press(open_page, payment_of, amount):
    first, second = payment_of(12_500), payment_of(amount)
    page = open_page(first.hosted_url)
    add_authenticator(page)
    sign_in(page, NEW_PHONE)
    add_passkey(page)
    see_paid(page)
    page.context.clear_cookies(name="customer-test")

    page.goto(page.url.split("/checkout")[0] + second.hosted_url)
    assert page.get_by_text("From the wallet of").count() == 0
    press(page, "Pay B$")
    see_paid(page)
    assert status_of(second) == PaymentStatus.COMPLETED
    assert [session.code_verified_at is None for session in sessions()] == [False, True]


def test_a_known_device_opens_the_own_page_by_one_press(open_page, payment_of):
    payment = payment_of(12_500)
    page = open_page(payment.hosted_url)
    add_authenticator(page)
    sign_in(page, NEW_PHONE)
    add_passkey(page)
    see_paid(page)
    page.context.clear_cookies(name="customer-test")

    page.goto(f"{page.url.split('/checkout')[0]}/account?test={payment.id}")
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("heading", name="Your wallet", exact=True).wait_for()
    assert [session.code_verified_at is None for session in sessions()] == [False, True]


def test_a_passkey_stands_in_for_the_pin_and_the_pin_is_another_way(open_page, payment_of):
    large, small, third = payment_of(12_500), payment_of(1_250), payment_of(1_251)
    page = open_page(large.hosted_url)
    site = page.url.split("/checkout")[0]
    add_authenticator(page)
    sign_in(page, NEW_PHONE)
    add_passkey(page)
    see_paid(page)
    page.goto(site + small.hosted_url)
    press(page, "Pay B$12.50")
    see_paid(page)

    page.goto(site + third.hosted_url)
    page.get_by_role("button", name="Pay another way").click()
    enter_pin(page)
    see_paid(page)
    assert {status_of(small), status_of(third)} == {PaymentStatus.COMPLETED}


@pytest.fixture
def held(open_page, payment_of) -> Callable[[str], tuple[Page, list[Route]]]:
    """Open the page of a first passkey; hold back what its address ends in."""

    def opened(script: str) -> tuple[Page, list[Route]]:
        page = open_page(payment_of(12_500).hosted_url)
        add_authenticator(page)
        sign_in(page, NEW_PHONE)
        page.get_by_role("heading", name="Create a passkey").wait_for()
        routes: list[Route] = []
        page.route(f"**/{script}*", lambda route: routes.append(route))
        with page.expect_request(f"**/{script}*"):
            page.reload(wait_until="commit")
        return page, routes

    return opened


def test_nothing_is_there_to_press_before_its_script(held):
    """A form that went without the dialog's answer was refused, and counted as a failed attempt."""
    page, routes = held("passkeys.js")
    with pytest.raises(Error, match="Timeout"):
        page.get_by_role("button", name="Create a passkey").wait_for(timeout=1_000)
    routes[0].continue_()
    add_passkey(page)

    see_paid(page)


def test_a_passkey_waits_for_no_other_script(held):
    page, routes = held("checkout.js")
    add_passkey(page)

    see_paid(page)
    assert routes


def test_closing_the_dialog_of_the_passkey_leaves_other_ways(open_page, payment_of):
    payment = payment_of(12_500)
    page = open_page(payment_of(5_001).hosted_url)
    devtools, device = add_authenticator(page)
    sign_in(page, NEW_PHONE)
    add_passkey(page)
    see_paid(page)
    devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device})
    page.goto(page.url.split("/checkout")[0] + payment.hosted_url)
    press(page, "Pay B$125.00")

    page.get_by_text("The dialog was closed before it finished.").wait_for()
    assert page.get_by_role("button", name="Pay B$125.00").is_enabled()
    assert page.get_by_role("button", name="Pay another way").is_visible()
    assert status_of(payment) == PaymentStatus.REQUIRES_ACTION
