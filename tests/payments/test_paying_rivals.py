"""What happens while a customer pays: either it came first, or the money has moved, never both."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from core.clock import utc_now
from core.errors import ApiError
from customers.models import Customer
from customers.services import freeze, top_up, unfreeze, wallet
from ledger.models import Purpose, Transfer
from ledger.services import balances
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, roll_key, set_status
from merchants.statuses import MerchantStatus
from payments.customer_steps import cancel_by_customer
from payments.expiry import expire_payment
from payments.models import Payment
from payments.services import cancel_payment
from payments.statuses import PaymentStatus
from refunds.services import RefundDraft, create_refund
from tests.client import ApiClient
from tests.factories import CustomerFactory, PaymentFactory
from tests.ledger.funding import problems
from tests.payments.journeys import pay_with
from tests.races import at_once, wait_for_a_waiter
from webhooks.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
ROUNDS, AMOUNT = 12, 60
NO_OVERLAP = timedelta(0)


@pytest.fixture
def customer(merchant: Merchant) -> Customer:
    made: Customer = CustomerFactory(merchant=merchant)
    top_up(customer=made, amount=ROUNDS * AMOUNT, currency="BSD", now=utc_now())
    return made


def caller_of(merchant: Merchant) -> Caller:
    return Caller(merchant, livemode=False, actor="key:test")


def code_of(result: object) -> str:
    """Return "" for a success, or the code of a refusal; anything unexpected is raised."""
    if isinstance(result, Exception) and not isinstance(result, ApiError):
        raise result
    return result.code if isinstance(result, ApiError) else ""


def race(payment: Payment, customer: Customer, rival: Callable[[], object]) -> tuple[str, str]:
    """Pay while the rival acts; return what became of both."""
    calls: list[Callable[[], object]] = [partial(pay_with, payment.id, customer), rival]
    paid, done = at_once(calls)
    payment.refresh_from_db()
    return code_of(paid), code_of(done)


def refuse_half_paid(merchant: Merchant, customer: Customer, returned: int = 0) -> None:
    """Fail unless what was paid is what has moved, from wallet to merchant, with one event each."""
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED)
    moved = completed.count() * AMOUNT - returned
    assert wallet(customer, "BSD").balance == ROUNDS * AMOUNT - moved
    held = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert held.get("BSD", 0) == moved
    told = Event.objects.filter(type="payment.completed").values_list("resource_id", flat=True)
    assert sorted(told) == sorted(completed.values_list("id", flat=True))
    assert problems() == []


# By whom it ends: what the customer is told then, what the other one where it is paid, and the act.
ENDS: dict[str, tuple[str, str, Callable[[Payment], object]]] = {
    "the merchant cancels": (
        "PAYMENT_CANCELED",
        "PAYMENT_ALREADY_COMPLETED",
        lambda payment: cancel_payment(
            caller=caller_of(payment.merchant), payment_id=payment.id, now=utc_now()
        ),
    ),
    "the customer cancels": (
        "PAYMENT_CANCELED",
        "PAYMENT_ALREADY_COMPLETED",
        lambda payment: cancel_by_customer(payment_id=payment.id, actor="customer", now=utc_now()),
    ),
    "it expires": (
        "PAYMENT_EXPIRED",
        "PAYMENT_NOT_FOUND",
        lambda payment: expire_payment(
            payment_id=payment.id, now=payment.created_at + timedelta(days=2)
        ),
    ),
}


@pytest.mark.parametrize("rival", ENDS)
def test_a_payment_that_ends_meanwhile(merchant: Merchant, customer: Customer, rival: str) -> None:
    code, too_late, end = ENDS[rival]
    for _ in range(ROUNDS):
        payment = PaymentFactory(merchant=merchant, amount=AMOUNT)

        paid, ended = race(payment, customer, partial(end, payment))

        assert (paid, ended) in (("", too_late), (code, ""))
        assert (payment.status == PaymentStatus.COMPLETED) is (paid == "")
    refuse_half_paid(merchant, customer)


def test_a_refund_meanwhile_is_of_what_was_paid(merchant: Merchant, customer: Customer) -> None:
    refunded = 0
    for _ in range(ROUNDS):
        payment = PaymentFactory(merchant=merchant, amount=AMOUNT)
        refund = partial(
            create_refund,
            caller=caller_of(merchant),
            payment_id=payment.id,
            draft=RefundDraft(),
            now=utc_now(),
        )

        paid, returned = race(payment, customer, refund)

        assert paid == ""
        assert returned in ("", "PAYMENT_NOT_COMPLETED")
        refunded += payment.amount_refunded
        assert payment.amount_refunded == (0 if returned else AMOUNT)
    refuse_half_paid(merchant, customer, refunded)


def test_a_wallet_that_is_frozen_meanwhile(merchant: Merchant, customer: Customer) -> None:
    for _ in range(ROUNDS):
        payment = PaymentFactory(merchant=merchant, amount=AMOUNT)
        stop = partial(freeze, customer_id=customer.id, actor="staff:ann", now=utc_now())

        paid, stopped = race(payment, customer, stop)

        assert stopped == ""
        assert paid in ("", "VERIFICATION_FAILED")
        late = PaymentFactory(merchant=merchant, amount=AMOUNT)
        with pytest.raises(ApiError):
            pay_with(late.id, customer)
        unfreeze(customer_id=customer.id, actor="staff:ann", now=utc_now())
    refuse_half_paid(merchant, customer)


def test_a_merchant_that_is_suspended_meanwhile(merchant: Merchant, customer: Customer) -> None:
    for _ in range(ROUNDS):
        payment = PaymentFactory(merchant=merchant, amount=AMOUNT)
        suspend = partial(set_status, merchant_id=merchant.id, now=utc_now())

        paid, suspended = race(payment, customer, partial(suspend, status=MerchantStatus.SUSPENDED))

        assert suspended == ""
        assert paid in ("", "MERCHANT_INACTIVE")
        late = PaymentFactory(merchant=merchant, amount=AMOUNT)
        with pytest.raises(ApiError, match="MERCHANT_INACTIVE"):
            pay_with(late.id, customer)
        suspend(status=MerchantStatus.VERIFIED)
    refuse_half_paid(merchant, customer)


def test_a_merchant_that_is_suspended_while_its_payment_waits_is_not_paid(
    merchant: Merchant, customer: Customer
) -> None:
    """The statement that waits for the payment joins the merchant as it was before the wait."""
    payment = PaymentFactory(merchant=merchant, amount=AMOUNT)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Payment.objects.locked(payment.id)
            paying = pool.submit(at_once, [partial(pay_with, payment.id, customer)])
            wait_for_a_waiter()
            set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())
        [paid] = paying.result()

    assert code_of(paid) == "MERCHANT_INACTIVE"
    refuse_half_paid(merchant, customer)


def test_a_merchant_that_is_suspended_while_its_payer_is_waited_for_is_not_paid(
    merchant: Merchant,
) -> None:
    """The statement that waits for the payer sees the merchant as it was before that wait."""
    live: Customer = CustomerFactory(merchant=None, livemode=True, phone="+12423591234")
    top_up(customer=live, amount=AMOUNT, currency="BSD", now=utc_now())
    payment = PaymentFactory(merchant=merchant, amount=AMOUNT, livemode=True)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Customer.objects.locked(live.id)
            set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())
            paying = pool.submit(at_once, [partial(pay_with, payment.id, live)])
            wait_for_a_waiter()
        [paid] = paying.result()

    assert code_of(paid) == "MERCHANT_INACTIVE"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    assert wallet(live, "BSD").balance == AMOUNT
    assert not Transfer.objects.filter(reference=payment.id).exists()
    assert problems() == []


def create_by(issued: IssuedKey) -> int:
    return ApiClient(issued.secret).post("/v1/payments", {"amount": AMOUNT}).status_code


@pytest.mark.parametrize(
    "end", [revoke_key, partial(roll_key, overlap=NO_OVERLAP, actor="staff:ann")]
)
def test_a_key_that_ends_while_it_creates(merchant: Merchant, end: Callable[..., object]) -> None:
    created = 0
    calls: list[Callable[[], object]]
    for _ in range(ROUNDS):
        issued = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now())
        create = partial(create_by, issued)
        calls = [create, partial(end, key_id=issued.key.id, now=utc_now())]

        status, ended = at_once(calls)

        assert code_of(ended) == ""
        assert status in (201, 401)
        created += status == 201
        assert create() == 401
    assert Payment.objects.count() == created
    assert not Transfer.objects.exists()
