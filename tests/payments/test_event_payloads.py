"""What each event of a payment says of it, field by field."""

from datetime import UTC, datetime
from typing import Any

import pytest

from core.clock import iso
from payments import events
from payments.models import Payment
from tests.factories import PaymentFactory
from webhooks.event_types import EventType

AT = datetime(2026, 3, 18, 15, 4, tzinfo=UTC)
SAID = {"payment_id": "pay_1", "merchant_id": "mer_1", "amount": 1_500, "metadata": {"cart": "1"}}
MORE = {"currency": "USD", "status": "pending"}
ENDED = {
    events.payment_completed: {**MORE, "customer_id": "cus_1", "transaction_id": "txn_1"},
    events.payment_failed: {"status": "pending", "error_code": "CODE", "error_message": "Why."},
    events.payment_canceled: MORE,
}


@pytest.fixture
def payment() -> Payment:
    """A payment, never saved, of which every column says something of its own."""
    made: Payment = PaymentFactory.build(
        id="pay_1", merchant=None, merchant_id="mer_1", amount=1_500, currency="USD",
        status="pending", payment_mode="ORDER_PAY", customer_id="cus_1", transaction_id="txn_1",
        metadata={"cart": "1"}, error_code="CODE", error_message="Why.", created_at=AT,
        expires_at=AT.replace(hour=16), completed_at=AT, failed_at=AT, canceled_at=AT,
    )  # fmt: skip
    return made


@pytest.mark.parametrize("tip", [{}, {"tip": 250}])
def test_what_is_said_of_a_new_one(payment: Payment, tip: dict[str, int]) -> None:
    payment.tip = tip.get("tip")
    named = {"payment_mode": "ORDER_PAY", "created_at": AT, "expires_at": AT.replace(hour=16)}

    assert events.payment_created(payment) == SAID | MORE | named | tip


@pytest.mark.parametrize("build", ENDED, ids=lambda build: build.__name__)
@pytest.mark.parametrize("tip", [None, 250])
def test_what_is_said_of_one_that_has_ended(payment: Payment, build: Any, tip: int | None) -> None:
    payment.tip = tip
    instant = build.__name__.replace("payment_", "") + "_at"
    with_tip = {"tip": tip} if tip and build is events.payment_completed else {}

    assert build(payment) == SAID | ENDED[build] | {instant: AT} | with_tip


def test_what_is_said_of_one_that_has_expired_or_is_to_be_replaced(payment: Payment) -> None:
    asked = events.payment_replacement_requested(payment, requested_at=AT)

    assert asked == SAID | MORE | {"requested_at": AT}
    assert events.payment_expired(payment) == {"payment_id": "pay_1"}


def test_the_samples_are_of_one_payment_that_ends_in_each_way() -> None:
    said = events.samples()

    assert [each.value for each in said] == [
        "payment.created", "payment.completed", "payment.failed", "payment.expired",
        "payment.canceled", "payment.replacement_requested",
    ]  # fmt: skip
    new, paid, failed = (
        said[each]
        for each in (
            EventType.PAYMENT_CREATED,
            EventType.PAYMENT_COMPLETED,
            EventType.PAYMENT_FAILED,
        )
    )
    instants = (new["created_at"], new["expires_at"], paid["completed_at"])
    assert [iso(at)[:16] for at in instants] == [
        "2026-11-21T14:00", "2026-11-22T14:00", "2026-11-21T14:02",
    ]  # fmt: skip
    assert {each.get("amount", 1_250) for each in said.values()} == {1_250}
    assert paid["customer_id"].startswith("cus_")
    assert paid["transaction_id"].startswith("txn_")
    assert failed["error_code"] == "INSUFFICIENT_BALANCE"
    assert failed["error_message"] == "There is not enough money in the account."
    unpaid = events.sample_payment()
    assert (unpaid.customer_id, unpaid.transaction_id) == (None, None)
