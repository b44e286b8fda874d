"""The page of a top-up says whose wallet the money goes to: a thief may have sent its address."""

import pytest

from tests.checkout.shopper import Shopper, signed_in_at
from tests.funding.money_in import LIVE, POOR, customer_with, ordered

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("way", ["bank_transfer", "agent"])
def test_a_stranger_is_not_told_that_it_is_theirs(way: str) -> None:
    thief = customer_with(0, LIVE, livemode=True)
    victim = Shopper()
    victim.visit(f"/top-ups/{ordered(thief, 50_000, way).pk}")

    assert "to the wallet of •••• 7890" in victim.text
    assert "your wallet" not in victim.text
    assert "yours" not in victim.text
    assert "text you" not in victim.text


def test_its_owner_is_told_that_it_is_theirs(payment_of) -> None:
    customer = customer_with(0)
    owner = signed_in_at(payment_of(1_250), POOR)
    owner.visit(f"/top-ups/{ordered(customer).pk}")

    assert "to your wallet" in owner.text
    assert "to the wallet of" not in owner.text
    assert "we will text you when the money arrives" in owner.text


def test_a_stranger_is_not_told_that_their_payment_waits(payment_of) -> None:
    customer = customer_with(0)
    victim = Shopper()
    top_up = ordered(customer, 8_000, payment=payment_of(8_000))
    victim.visit(f"/top-ups/{top_up.pk}")

    assert "text you" not in victim.text
    assert "Confirm now" not in victim.text
