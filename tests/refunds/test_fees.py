"""The fee goes back with the money, in proportion and to the cent"""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import utc_now
from ledger.models import Purpose
from merchants.callers import Caller
from payments.models import Payment
from refunds.reconciliation import check_refunds
from refunds.services import RefundDraft, create_refund, fee_share
from tests.factories import MerchantFactory
from tests.payouts.merchant_balance import held
from tests.refunds.refunding import refund, sell

amounts = st.integers(1, 99_999_999_999)
shuffled_cuts = st.lists(st.integers(1, 500), max_size=8)


def in_parts(amount, cuts):
    """Cut an amount at these places; every part at least a cent."""
    places = sorted({cut for cut in cuts if cut < amount} | {amount})
    return [after - before for before, after in zip([0, *places], places, strict=False)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines are busy
@given(amount=amounts, data=st.data())
def test_any_parts_return_the_whole_fee_and_never_more_than_themselves(amount, data):
    fee = data.draw(st.integers(0, amount))
    payment = Payment(amount=amount, fee=fee)
    shares = []
    for part in in_parts(amount, data.draw(st.lists(st.integers(1, amount), max_size=30))):
        shares.append(fee_share(payment, part))
        assert 0 <= shares[-1] <= part
        payment.amount_refunded += part

    assert sum(shares) == fee


@pytest.mark.django_db
@pytest.mark.fuzz
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(amount=st.integers(1, 500), fee=st.integers(0, 10_000), cuts=shuffled_cuts)
def test_a_refund_in_any_parts_leaves_nothing_behind(db, amount, fee, cuts):
    with transaction.atomic():
        merchant = MerchantFactory.create()
        payment = sell(merchant, amount, fee=fee)
        caller = Caller(merchant, livemode=False, actor="key:test")
        for part in in_parts(amount, cuts):
            draft = RefundDraft(amount=part)
            done = create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())
            assert done.status == "succeeded"
        assert held(merchant, Purpose.MERCHANT) == held(merchant, Purpose.FEES) == 0
        assert list(check_refunds()) == []
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_shares_are_rounded_half_up_of_the_running_total(api, merchant):
    payment = sell(merchant, 100, fee=333)

    parts = [refund(api, payment, part).json()["fee_returned"] for part in (17, 16, 50, 16, 1)]

    assert parts == [1, 0, 1, 1, 0]
    assert held(merchant, Purpose.FEES) == 0


@pytest.mark.django_db
def test_what_counts_is_the_fee_at_the_time_of_sale(api, merchant):
    payment = sell(merchant, 1_000, fee=500)
    sell(merchant, 1_000, fee=0)

    assert refund(api, payment).json()["fee_returned"] == 50
