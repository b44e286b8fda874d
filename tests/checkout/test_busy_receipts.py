"""A receipt, and a payment beside it, that are refused for too many requests."""

import pytest

from core.errors import RateLimited
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["", "/problem"])
def test_a_receipt_refused_for_too_many_requests_does_not_say_that_nothing_was_paid(
    payment, monkeypatch, path
):
    bring_to(payment, PaymentStatus.COMPLETED)
    shopper = Shopper()
    shopper.visit(f"/receipts/{payment.id}{path}")

    def refuse(*_):
        raise RateLimited.retry_in(60)

    monkeypatch.setattr("checkout.pages.consume", refuse)

    assert shopper.send(email="ann@example.com", reason="other").status_code == 429
    assert "For your safety, you need to wait a little." in shopper.text
    assert "No money has been taken" not in shopper.text


def test_a_payment_refused_for_too_many_requests_says_that_nothing_was_paid(payment, monkeypatch):
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    def refuse(*_):
        raise RateLimited.retry_in(60)

    monkeypatch.setattr("checkout.pages.consume", refuse)

    assert shopper.send(to="/pay").status_code == 429
    assert "No money has been taken." in shopper.text
