"""What staff can read of attempts at a PIN."""

import pytest

from checkout.models import VerificationAttempt
from tests.checkout.shopper import signed_in_at

pytestmark = pytest.mark.django_db


def test_each_attempt_at_a_pin_is_noted(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")

    shopper.send(pin="4711")
    shopper.send(pin="1234")

    attempts = VerificationAttempt.objects.order_by("pk")
    assert [(row.payment_id, row.method, row.error_code) for row in attempts] == [
        (payment.id, "pin", "INVALID_PIN"),
        (payment.id, "pin", ""),
    ]
    assert {row.address for row in attempts} == {"127.0.0.1"}
    assert all(row.actor.startswith("customer:cus_") for row in attempts)
