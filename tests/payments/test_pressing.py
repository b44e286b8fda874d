"""What one press at the checkout does to a payment before it is paid."""

import pytest

from core.clock import utc_now
from payments.errors import PaymentExpired
from payments.models import Payment
from payments.pressing import ask_for_proof

pytestmark = pytest.mark.django_db


def _ask(payment: Payment) -> list[tuple[str, str]]:
    ask_for_proof(payment_id=payment.id, actor="customer", now=utc_now())
    rows = payment.transitions.order_by("pk")
    return [(row.from_status, row.to_status) for row in rows]


def test_it_starts_a_new_payment_and_asks_once(payment: Payment) -> None:
    path = [("created", "pending"), ("pending", "requires_action")]

    assert _ask(payment) == path
    assert _ask(payment) == path


def test_it_asks_for_no_proof_at_the_instant_it_expires(payment: Payment) -> None:
    assert payment.expires_at is not None

    with pytest.raises(PaymentExpired):
        ask_for_proof(payment_id=payment.id, actor="customer", now=payment.expires_at)
