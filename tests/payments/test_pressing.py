"""What one press at the checkout does to a payment before it is paid."""

import pytest

from core.clock import utc_now
from customers.errors import VerificationFailed
from customers.sessions import end_session, start_session
from ledger.errors import InsufficientBalance
from merchants.models import Merchant
from payments.customer_steps import ask_for_proof
from payments.errors import PaymentExpired, PaymentNotCompleted
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.factories import PaymentFactory
from tests.payments.journeys import ACTOR, payer

pytestmark = pytest.mark.django_db
PENNILESS_PHONE, COUNTED_PHONE = "+12425550101", "+12425550107"


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


def test_one_that_was_asked_already_is_refused_once_it_has_expired(payment: Payment) -> None:
    asked = _ask(payment)
    assert payment.expires_at is not None

    with pytest.raises(PaymentExpired):
        ask_for_proof(payment_id=payment.id, actor="customer", now=payment.expires_at)

    assert payment.transitions.count() == len(asked)


def test_it_asks_no_one_to_pay_a_counter(merchant: Merchant) -> None:
    counter = PaymentFactory(merchant=merchant, payment_mode="STATIC_PAY", expires_at=None)

    with pytest.raises(PaymentNotCompleted):
        _ask(counter)

    counter.refresh_from_db()
    assert (counter.status, counter.transitions.count()) == ("created", 0)


def test_a_press_does_nothing_in_a_session_that_has_ended_just_then(payment: Payment) -> None:
    customer, now = payer(payment.merchant, COUNTED_PHONE), utc_now()
    lost = start_session(customer=customer, now=now)
    end_session(lost.token, now=now)

    with pytest.raises(VerificationFailed):
        pay(
            payment_id=payment.id,
            customer=customer,
            verified=Verification.PASSKEY,
            actor=ACTOR,
            now=now,
            session_id=lost.session.pk,
        )

    assert payment.transitions.count() == 0


def _pay_with_too_little(payment: Payment) -> None:
    with pytest.raises(InsufficientBalance):
        pay(
            payment_id=payment.id,
            customer=payer(payment.merchant, PENNILESS_PHONE),
            verified=Verification.PASSKEY,
            actor=ACTOR,
            now=utc_now(),
        )
    payment.refresh_from_db()


def test_a_new_one_has_been_started_even_if_the_money_is_short(payment: Payment) -> None:
    _pay_with_too_little(payment)

    assert payment.status == "pending"
    assert payment.transitions.get().to_status == "pending"


def test_a_shortage_is_raised_after_the_payment_has_returned_to_the_review(
    payment: Payment,
) -> None:
    _ask(payment)

    _pay_with_too_little(payment)

    last = payment.transitions.latest("pk")
    assert (payment.status, last.to_status) == ("pending", "pending")
    assert last.cause == "INSUFFICIENT_BALANCE"
