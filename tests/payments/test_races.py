"""Many at once: every race has one winner, and money moves once."""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from core.clock import utc_now
from core.ids import new_id
from customers.magic_phones import WORKING_PHONE
from customers.models import Customer
from customers.services import fill_test_wallet, top_up, wallet
from ledger.models import Account, Purpose, Transfer, TransferKind
from ledger.services import balance_of, balances, lock
from merchants.callers import Caller
from merchants.models import Merchant
from payments.confirming import confirm_payment
from payments.counters import pay_at_counter
from payments.expiry import expire_payment
from payments.models import Payment
from payments.modes import PaymentMode
from payments.services import cancel_payment
from tests.factories import CustomerFactory, PaymentFactory
from tests.payments.journeys import pay_with, payer
from tests.races import at_once, held_up, outcomes
from webhooks.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
PAIRS = 40


def caller_of(merchant: Merchant) -> Caller:
    return Caller(merchant, livemode=False, actor="key:test")


def confirm(merchant: Merchant, payment: Payment) -> Payment:
    return confirm_payment(
        caller=caller_of(merchant), payment_id=payment.id, phone=None, amount=None, now=utc_now()
    )


def customer_with(merchant: Merchant, amount: int) -> Customer:
    customer: Customer = CustomerFactory(merchant=merchant)
    top_up(customer=customer, amount=amount, currency="BSD", now=utc_now())
    return customer


def test_32_confirms_complete_once(merchant: Merchant) -> None:
    payer(merchant)
    for _ in range(5):
        payment = PaymentFactory(merchant=merchant)

        results = at_once([partial(confirm, merchant, payment)] * 32)

        assert outcomes(results) == {"done": 1, "PAYMENT_ALREADY_COMPLETED": 31}
        assert Transfer.objects.filter(kind=TransferKind.PAYMENT, reference=payment.id).count() == 1
        completed = Event.objects.filter(resource_id=payment.id, type="payment.completed")
        assert completed.count() == 1


def test_confirms_of_many_payments_at_once_all_find_the_money(merchant: Merchant) -> None:
    payer(merchant)
    for _ in range(3):
        payments = [PaymentFactory(merchant=merchant, amount=3_000_000) for _ in range(8)]

        results = at_once([partial(confirm, merchant, payment) for payment in payments])

        assert outcomes(results) == {"done": 8}
        assert Payment.objects.exclude(status="completed").count() == 0


def test_a_wallet_that_another_test_is_just_emptying_is_filled_after_that(
    merchant: Merchant,
) -> None:
    customer = payer(merchant)
    account = wallet(customer, "BSD")

    def fill() -> None:
        with transaction.atomic():
            fill_test_wallet(customer, "BSD", least=1, now=utc_now())

    assert held_up(lambda: Account.objects.filter(pk=account.pk).update(balance=0), fill) is None

    assert balance_of(account) == 10_000_000


@pytest.mark.parametrize("rival", ["cancel", "expire"])
def test_a_confirm_and_its_rival_have_one_winner(merchant: Merchant, rival: str) -> None:
    payer(merchant)
    soon = timedelta(milliseconds=1)
    rivals: dict[str, Callable[[Payment], Payment]] = {
        "cancel": lambda payment: cancel_payment(
            caller=caller_of(merchant), payment_id=payment.id, now=utc_now()
        ),
        "expire": lambda payment: expire_payment(
            payment_id=payment.id,
            now=payment.expires_at + soon if payment.expires_at else utc_now(),
        ),
    }
    lost = {"cancel": "PAYMENT_CANCELED", "expire": "PAYMENT_EXPIRED"}[rival]
    for _ in range(PAIRS):
        payment = PaymentFactory(merchant=merchant)

        results = at_once([partial(confirm, merchant, payment), partial(rivals[rival], payment)])

        counted = outcomes(results)
        payment.refresh_from_db()
        paid = Transfer.objects.filter(reference=payment.id).count()
        assert counted["done"] == 1
        if payment.status == "completed":
            assert paid == 1
            assert counted[lost] == 0
        else:
            assert paid == 0
            assert counted[lost] == 1
        assert Event.objects.filter(resource_id=payment.id).count() == 1


def test_a_wallet_is_not_spent_twice(merchant: Merchant) -> None:
    customer = customer_with(merchant, 100)
    payments = [PaymentFactory(merchant=merchant, amount=60) for _ in range(20)]

    results = at_once([partial(pay_with, payment.id, customer) for payment in payments])

    assert outcomes(results) == {"done": 1, "INSUFFICIENT_BALANCE": 19}
    assert wallet(customer, "BSD").balance == 40
    assert Payment.objects.filter(status="pending").count() == 19


def test_a_confirm_locks_the_payment_before_the_wallet(merchant: Merchant) -> None:
    """The holder of the payment may go on to the wallet, even if it has to be filled first."""
    payment = PaymentFactory(merchant=merchant)
    customer = CustomerFactory(merchant=merchant, phone=WORKING_PHONE)
    account = wallet(customer, "BSD")

    @transaction.atomic
    def hold() -> None:
        Payment.objects.locked(payment.id)
        time.sleep(0.5)  # the confirm comes meanwhile
        lock(account)

    def confirm_meanwhile() -> Payment:
        time.sleep(0.2)
        return confirm(merchant, payment)

    assert outcomes(at_once([hold, confirm_meanwhile])) == {"done": 2}

    payment.refresh_from_db()
    assert payment.status == "completed"


def test_a_counter_serves_many_at_once(merchant: Merchant) -> None:
    customer = customer_with(merchant, 10_000)
    counter = PaymentFactory(
        merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, amount=None, expires_at=None
    )

    def sale(amount: int) -> Payment:
        payment_id = new_id("pay", utc_now())
        pay_at_counter(counter_id=counter.id, payment_id=payment_id, amount=amount, now=utc_now())
        return pay_with(payment_id, customer)

    results = at_once([partial(sale, amount) for amount in range(1, 51)])

    assert outcomes(results) == {"done": 50}
    children = Payment.objects.filter(static_payment=counter, status="completed")
    assert list(children.order_by("amount").values_list("amount", flat=True)) == list(range(1, 51))
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"BSD": sum(range(1, 51))}
    counter.refresh_from_db()
    assert counter.status == "created"
