"""Payments at the same instant: what fits once into a customer's limit is paid once."""

from functools import partial

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, top_up
from merchants.models import Merchant
from payments.models import Payment
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.factories import PaymentFactory
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
AT_ONCE = 8


@pytest.fixture
def customer() -> Customer:
    made = find_or_create(phone="+12423591234", now=utc_now())
    top_up(customer=made, amount=1_000_000, currency="BSD", now=utc_now())
    return made


def pay_all_at_once(
    merchant: Merchant, customer: Customer, amount: int, verified: Verification
) -> int:
    """Pay many together, each with the customer as read before; return how many were paid."""
    payments = [
        PaymentFactory(merchant=merchant, amount=amount, livemode=True, status="pending")
        for _ in range(AT_ONCE)
    ]
    outcomes = at_once(
        [
            partial(
                pay,
                payment_id=payment.id,
                customer=customer,
                verified=verified,
                actor="customer",
                now=utc_now(),
            )
            for payment in payments
        ]
    )
    paid = sum(isinstance(outcome, Payment) for outcome in outcomes)
    assert Payment.objects.filter(status=PaymentStatus.COMPLETED).count() == paid
    return paid


def test_what_a_pin_pays_a_day(merchant: Merchant, customer: Customer) -> None:
    assert pay_all_at_once(merchant, customer, 4_000, Verification.PIN) == 2


def test_what_needs_no_proof(merchant: Merchant, customer: Customer) -> None:
    assert pay_all_at_once(merchant, customer, 200, Verification.NONE) == 5


def test_what_a_new_passkey_pays(merchant: Merchant, customer: Customer) -> None:
    Customer.objects.update(proof_changed_at=utc_now())

    assert pay_all_at_once(merchant, customer, 2_500, Verification.PASSKEY) == 2
