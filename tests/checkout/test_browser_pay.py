"""Customers pay in a real browser."""

import re

import pytest

from payments.statuses import PaymentStatus
from tests.checkout.chromium import add_authenticator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def sign_in(page, phone="+1 242 555 0100"):
    page.get_by_role("button", name=re.compile("^Pay ")).click()
    page.get_by_label("Phone number").fill(phone)
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Continue").click()


@pytest.mark.parametrize("javascript", [True, False])
def test_it_pays_150_with_a_tap(open_page, payment_of, javascript):
    payment = payment_of(150, description="Coffee")
    page = open_page(payment.hosted_url, javascript=javascript)
    sign_in(page)
    page.get_by_role("button", name="Pay B$1.50").click()

    page.get_by_role("heading", name="Paid", exact=True).wait_for()
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED


@pytest.mark.parametrize("javascript", [True, False])
def test_it_pays_1250_with_a_pin(open_page, payment_of, javascript):
    payment = payment_of(1250)
    page = open_page(payment.hosted_url, javascript=javascript)
    sign_in(page)
    page.get_by_label("PIN", exact=True).fill("1234")
    page.get_by_role("button", name="Pay B$12.50").click()

    page.get_by_role("heading", name="Paid", exact=True).wait_for()
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED


def test_it_pays_12500_with_a_new_passkey_and_again_with_the_same(open_page, payment_of):
    first, second = payment_of(12_500), payment_of(12_501)
    page = open_page(first.hosted_url)
    add_authenticator(page)
    sign_in(page, "+1 242 555 0188")
    page.get_by_label("PIN", exact=True).fill("1234")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Create a passkey").click()
    page.get_by_text("Your passkey is ready.").wait_for()
    page.get_by_role("button", name="Pay B$125.00").click()
    page.get_by_role("heading", name="Paid", exact=True).wait_for()

    page.goto(page.url.replace(first.id, second.id))
    page.get_by_role("button", name="Pay B$125.01").click()
    page.get_by_role("heading", name="Confirm with your passkey").wait_for()
    page.get_by_role("button", name="Pay B$125.01").click()
    page.get_by_role("heading", name="Paid", exact=True).wait_for()

    for payment in (first, second):
        payment.refresh_from_db()
        assert payment.status == PaymentStatus.COMPLETED


def test_closing_the_dialog_of_the_passkey_leaves_a_next_step(open_page, payment_of):
    payment = payment_of(12_500)
    page = open_page(payment.hosted_url)
    devtools, device = add_authenticator(page)
    sign_in(page, "+1 242 555 0188")
    page.get_by_label("PIN", exact=True).fill("1234")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Create a passkey").click()
    page.get_by_text("Your passkey is ready.").wait_for()
    devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device})
    page.get_by_role("button", name="Pay B$125.00").click()

    page.get_by_text("The dialog was closed before it finished.").wait_for()
    assert page.get_by_role("button", name="Pay B$125.00").is_enabled()
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REQUIRES_ACTION
