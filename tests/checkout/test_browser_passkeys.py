"""Customers pay by passkey in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import CDPSession, Error, Page, Route

from payments.statuses import PaymentStatus
from tests.checkout.held_passkeys import paid_with_passkey
from tests.checkout.steps import (
    NEW_PHONE,
    add_passkey,
    enter_pin,
    open_signed_in,
    press,
    see_paid,
    sessions,
    sign_in,
    status_of,
)
from tests.chromium import add_authenticator
from tests.nights import at_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WithPasskey = Callable[..., tuple[Page, tuple[CDPSession, str]]]


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


@pytest.fixture
def with_passkey(open_page, payment_of, site) -> WithPasskey:
    """Open a page on a device whose passkey has paid before; `is_signed_in` no longer, perhaps."""

    def opened(path: str, *, is_signed_in: bool = True) -> tuple[Page, tuple[CDPSession, str]]:
        shopper, held = paid_with_passkey(payment_of(12_500), site)
        if not is_signed_in:
            del shopper.client.cookies["customer-test"]
        page = open_page(path, cookies=shopper.client.cookies)
        return page, add_authenticator(page, held=held)

    return opened


AMOUNTS = "by day one amount; what each asks for is tested without a browser as well"


@pytest.mark.parametrize("amount", [1_250, *at_night(150, 12_500, why=AMOUNTS)])
def test_a_known_device_signs_in_and_pays_by_one_press(with_passkey, payment_of, amount):
    second = payment_of(amount)
    page, _ = with_passkey(second.hosted_url, is_signed_in=False)
    assert page.get_by_text("From the wallet of").count() == 0
    press(page, "Pay B$")
    see_paid(page)
    assert status_of(second) == PaymentStatus.COMPLETED
    assert [session.code_verified_at is None for session in sessions()] == [False, True]


def test_a_known_device_opens_the_own_page_by_one_press(with_passkey, payment_of):
    page, _ = with_passkey(f"/account?test={payment_of(150).id}", is_signed_in=False)
    page.get_by_role("button", name="Use your passkey").click()
    page.get_by_role("heading", name="Your wallet", exact=True).wait_for()
    assert [session.code_verified_at is None for session in sessions()] == [False, True]


def test_a_passkey_stands_in_for_the_pin_and_the_pin_is_another_way(with_passkey, payment_of, site):
    small, third = payment_of(1_250), payment_of(1_251)
    page, _ = with_passkey(small.hosted_url)
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
        page = open_signed_in(open_page, payment_of(12_500), NEW_PHONE)
        add_authenticator(page)
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


def test_closing_the_dialog_of_the_passkey_leaves_other_ways(with_passkey, payment_of):
    payment = payment_of(12_500)
    page, (devtools, device) = with_passkey(payment.hosted_url)
    devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device})
    press(page, "Pay B$125.00")

    page.get_by_text("The dialog was closed before it finished.").wait_for()
    assert page.get_by_role("button", name="Pay B$125.00").is_enabled()
    assert page.get_by_role("button", name="Pay another way").is_visible()
    assert status_of(payment) == PaymentStatus.REQUIRES_ACTION
