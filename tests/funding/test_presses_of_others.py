"""Someone else with the address of a payment presses Pay, and leaves what its payer proved."""

import pytest

from funding.models import TopUp
from payments.models import Payment
from tests.checkout.shopper import Shopper
from tests.funding.money_in import added, customer_with, held, short_of_money

pytestmark = pytest.mark.django_db
STRANGER = "+12425550101"


def told(shopper: Shopper) -> str:
    shopper.visit(f"/top-ups/{TopUp.objects.get().pk}")
    return shopper.text


def test_the_press_of_a_stranger_without_money_leaves_the_payers_proof(payment_of) -> None:
    """With its address, anyone could leave a payment unpaid that waits for money."""
    payer, payment = customer_with(40), payment_of(150)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    shopper.send(way="simulated")

    stranger = short_of_money(payment, STRANGER)
    stranger.send(to="/pay")

    assert "Add B$1.50" in stranger.text
    assert "paid to" in told(shopper)
    assert "automatically" in shopper.text
    added()
    payment.refresh_from_db()
    assert (payment.status, payment.customer, held(payer)) == ("completed", payer, 0)


def test_a_payers_own_later_press_in_another_browser_counts(payment_of) -> None:
    payer, payment = customer_with(40), payment_of(150)
    for browser in (short_of_money(payment), short_of_money(payment)):
        browser.send(to="/pay")
    browser.send(way="simulated")

    added()

    assert (Payment.objects.get().status, held(payer)) == ("completed", 0)
