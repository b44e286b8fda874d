"""What stands between a customer and a completed payment."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.errors import ApiError
from customers.services import freeze
from ledger.models import Transfer
from links.services import LinkDraft, create_link, record_use
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payments.customer_steps import (
    ask_for_proof,
    cancel_by_customer,
    return_to_review,
    start_payment,
)
from payments.expiry import settle_due
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification, required_for_amount
from tests.client import Api
from tests.factories import CustomerFactory, PaymentFactory
from tests.payments.journeys import ACTOR, SLOW_PHONE, pay_with, payer

pytestmark = pytest.mark.django_db
NONE, PIN, PASSKEY = Verification.NONE, Verification.PIN, Verification.PASSKEY


@pytest.mark.parametrize(
    ("amount", "needed"),
    [(1, NONE), (200, NONE), (201, PIN), (5_000, PIN), (5_001, PASSKEY), (99_999_999_999, PASSKEY)],
)
def test_the_amount_decides_the_verification(amount: int, needed: Verification) -> None:
    assert required_for_amount(amount) == needed


@pytest.mark.parametrize(
    ("amount", "proved", "well"),
    [
        (200, NONE, True),
        (201, NONE, False),
        (201, PIN, True),
        (201, PASSKEY, True),
        (5_001, PIN, False),
        (5_001, PASSKEY, True),
    ],
)
def test_more_may_stand_for_less_but_never_less_for_more(
    merchant: Merchant, amount: int, proved: Verification, well: bool
) -> None:
    payment = PaymentFactory(merchant=merchant, amount=amount)
    customer = payer(payment.merchant)

    def attempt() -> Payment:
        return pay(
            payment_id=payment.id, customer=customer, verified=proved, actor=ACTOR, now=utc_now()
        )

    if well:
        assert attempt().status == "completed"
    else:
        with pytest.raises(ApiError) as refusal:
            attempt()
        assert refusal.value.code == "VERIFICATION_FAILED"
        payment.refresh_from_db()
        assert payment.status == "created"


def test_a_suspended_merchant_is_not_paid(merchant: Merchant, payment: Payment) -> None:
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    with pytest.raises(ApiError) as refusal:
        pay_with(payment.id, payer(payment.merchant))

    assert refusal.value.code == "MERCHANT_INACTIVE"


def test_a_frozen_customer_does_not_pay(payment: Payment) -> None:
    customer = payer(payment.merchant)
    freeze(customer_id=customer.id, actor="staff:ada", now=utc_now())

    with pytest.raises(ApiError) as refusal:
        pay_with(payment.id, customer)

    assert refusal.value.code == "VERIFICATION_FAILED"


def test_a_counter_itself_is_never_paid(merchant: Merchant) -> None:
    counter = PaymentFactory(
        merchant=merchant, payment_mode="STATIC_PAY", amount=500, expires_at=None
    )

    with pytest.raises(ApiError):
        pay_with(counter.id, payer(counter.merchant))

    counter.refresh_from_db()
    assert counter.status == "created"


@pytest.mark.parametrize(
    "act", [start_payment, ask_for_proof, return_to_review, cancel_by_customer]
)
def test_no_customer_moves_a_counter(merchant: Merchant, act: Callable[..., Payment]) -> None:
    counter = PaymentFactory(merchant=merchant, payment_mode="STATIC_PAY", expires_at=None)

    with pytest.raises(ApiError) as refusal:
        act(payment_id=counter.id, actor=ACTOR, now=utc_now())

    assert refusal.value.code == "PAYMENT_NOT_COMPLETED"
    counter.refresh_from_db()
    assert counter.status == "created"


def test_a_payment_paid_already_says_so_whatever_became_of_its_link(merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="key:test")
    draft = LinkDraft(currency="BSD", amount=1_250, max_uses=1)
    payment = PaymentFactory(
        merchant=merchant, link=create_link(caller=caller, draft=draft, now=utc_now())
    )
    pay_with(payment.id, payer(payment.merchant))

    with pytest.raises(ApiError) as refusal:
        pay_with(payment.id, payer(payment.merchant))

    assert refusal.value.code == "PAYMENT_ALREADY_COMPLETED"


def test_a_slow_payment_fails_where_its_link_is_used_up_meanwhile(merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="key:test")
    draft = LinkDraft(currency="BSD", amount=1_250, max_uses=1)
    link = create_link(caller=caller, draft=draft, now=utc_now())
    payment = PaymentFactory(merchant=merchant, link=link)
    assert pay_with(payment.id, payer(payment.merchant, SLOW_PHONE)).status == "processing"
    record_use(link.id, payment_id="pay_other", amount=1_250, now=utc_now())

    assert settle_due(now=utc_now() + timedelta(minutes=1)) == 1

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == ("failed", "PAYMENT_LINK_INACTIVE")


def test_each_of_several_slow_tests_finds_its_money(api: Api, merchant: Merchant) -> None:
    """None takes its money before it settles: each was confirmed on the same 100,000.00."""
    payments = PaymentFactory.create_batch(4, merchant=merchant, amount=3_000_000)
    for payment in payments:
        path = f"/v1/payments/{payment.id}/simulate"
        assert api(merchant).post(path, {"outcome": "paid_slowly"}).status_code == 200

    assert settle_due(now=utc_now() + timedelta(minutes=1)) == 4

    assert {it.status for it in Payment.objects.all()} == {"completed"}


def test_no_live_wallet_is_filled_to_settle(merchant: Merchant) -> None:
    payment = PaymentFactory(
        merchant=merchant,
        livemode=True,
        customer=CustomerFactory(livemode=True, merchant=None),
        status="processing",
        settles_at=utc_now(),
    )

    settle_due(now=utc_now())

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == ("failed", "INSUFFICIENT_BALANCE")
    assert not Transfer.objects.exists()


def test_a_slow_payment_fails_where_its_merchant_is_suspended_meanwhile(merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant)
    pay_with(payment.id, payer(merchant, SLOW_PHONE))
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    assert settle_due(now=utc_now() + timedelta(minutes=1)) == 1

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == ("failed", "MERCHANT_INACTIVE")
    assert payment.settles_at is None
    assert not Transfer.objects.filter(reference=payment.id).exists()
