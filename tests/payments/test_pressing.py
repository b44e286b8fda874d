"""What one press at the checkout does to a payment before it is paid."""

import pytest

from core.clock import utc_now
from payments.errors import PaymentCanceled
from payments.models import Payment
from payments.pressing import ask_for_proof
from payments.services import cancel_payment
from tests.backoffice.rows import caller_of

pytestmark = pytest.mark.django_db


def _ask(payment: Payment) -> list[tuple[str, str]]:
    ask_for_proof(payment_id=payment.id, actor="customer", now=utc_now())
    rows = payment.transitions.order_by("pk")
    return [(row.from_status, row.to_status) for row in rows]


def test_it_starts_a_new_payment_and_asks_once(payment: Payment) -> None:
    path = [("created", "pending"), ("pending", "requires_action")]

    assert _ask(payment) == path
    assert _ask(payment) == path


def test_it_asks_for_no_proof_of_a_canceled_payment(payment: Payment) -> None:
    cancel_payment(caller=caller_of(payment.merchant), payment_id=payment.id, now=utc_now())

    with pytest.raises(PaymentCanceled):
        _ask(payment)
