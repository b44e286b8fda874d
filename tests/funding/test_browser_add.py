"""Customers who have too little money add some in a real browser, and are paid by themselves."""

import pytest

from funding.models import TopUp
from funding.tasks import collect_top_ups
from tests.checkout.steps import enter_pin, open_signed_in, press, see_paid
from tests.funding.money_in import POOR, added, booked, customer_with, transfer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_too_little_added_by_simulation_and_paid_by_itself(open_page, payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    page = open_signed_in(open_page, payment, POOR)
    page.get_by_role("heading", name="Add B$8.40").wait_for()
    page.get_by_role("button", name="Simulated").click()
    page.get_by_role("heading", name="Waiting").wait_for()
    press(page, "Confirm now and pay automatically")
    enter_pin(page)
    page.get_by_text("B$12.50 is paid to").wait_for()

    added()

    see_paid(page)
    payment.refresh_from_db()
    assert payment.status == "completed"


def test_a_bank_transfer_arrives_after_the_customer_has_left(open_page, payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    page = open_signed_in(open_page, payment, POOR)
    page.get_by_role("button", name="Bank transfer").click()
    reference = TopUp.objects.get().reference
    page.get_by_text(reference[:4]).first.wait_for()
    press(page, "Confirm now and pay automatically")
    enter_pin(page)
    page.get_by_text("You can close this page").wait_for()
    address = page.url
    page.close()

    booked(transfer(840, f"deposit {reference}"), livemode=False)
    collect_top_ups()

    payment.refresh_from_db()
    assert payment.status == "completed"
    receipt = open_page(address.partition("/top-ups")[1] + address.partition("/top-ups")[2])
    receipt.get_by_role("heading", name="Added").wait_for()
    see_paid(open_page(payment.hosted_url))
