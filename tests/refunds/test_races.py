"""Refunds that race: never more than the payment, never less than a winner, never a deadlock"""

import time
from collections import Counter
from functools import partial
from typing import Any

import pytest

from core.clock import utc_now
from core.errors import ApiError
from customers.services import top_up, wallet
from ledger.errors import InsufficientBalance
from ledger.models import Purpose, Transfer, TransferKind
from ledger.sealing import seal_transfers
from merchants.callers import Caller
from payouts.services import request_payout
from refunds.errors import RefundFinal
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_models import InquiryEntry
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Refund, RefundTransition
from refunds.retrying import retry_pending
from refunds.services import RefundDraft, create_refund, fail_refund, retry_refund
from tests.events import event_types
from tests.factories import CustomerFactory, PaymentFactory
from tests.ledger.funding import problems
from tests.nights import at_night
from tests.payments.journeys import pay_with
from tests.payouts.merchant_balance import credit, held
from tests.races import at_once, held_up
from tests.refunds.refunding import refund, sell

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def caller_of(merchant):
    return Caller(merchant, livemode=False, actor="key:test")


def give_back(payment, amount=None):
    draft = RefundDraft(amount=amount)
    caller = caller_of(payment.merchant)
    return create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())


def pay_out(merchant):
    return request_payout(
        caller=caller_of(merchant), currency="BSD", amount=None, description="", now=utc_now()
    )


def outcomes(results):
    """Count statuses and codes; anything unexpected is raised."""
    counted: Counter[str] = Counter()
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, ApiError):
            raise result
        counted[result.code if isinstance(result, ApiError) else result.status] += 1
    return counted


@pytest.mark.parametrize(
    ("amount", "attempts", "winners"), [(7, 20, 14), (None, 8, 1), (None, 2, 1)]
)
def test_refunds_do_not_pass_the_amount(merchant, amount, attempts, winners):
    payment = sell(merchant, 100)

    results = at_once([partial(give_back, payment, amount)] * attempts)

    refused = {"REFUND_EXCEEDS_PAYMENT": attempts - winners}
    assert outcomes(results) == {"succeeded": winners} | refused
    payment.refresh_from_db()
    assert payment.amount_refunded == (amount or 100) * winners
    assert held(merchant, Purpose.MERCHANT) == 100 - payment.amount_refunded
    assert problems() == []


def test_twins_under_one_key_refund_once(api, merchant):
    payment = sell(merchant, 100)
    api(merchant)

    answers: list[Any] = at_once([partial(refund, api, payment, 10, idempotency_key="abc")] * 10)

    assert len({answer.content for answer in answers}) == 1
    assert Refund.objects.count() == 1


def test_refunds_that_cannot_be_covered_wait(merchant):
    payment = sell(merchant, 1_000)
    credit(merchant, -950)

    results = at_once([partial(give_back, payment, 20)] * 10)

    assert outcomes(results) == {"succeeded": 2, "pending": 8}
    payment.refresh_from_db()
    assert (payment.amount_refunded, payment.amount_refund_pending) == (40, 160)
    assert held(merchant, Purpose.MERCHANT) == 10
    assert problems() == []


def test_a_refund_and_a_payout_do_not_spend_the_same_money(merchant):
    for _ in range(15):
        payment = sell(merchant, 1_000)

        results = at_once([partial(give_back, payment), partial(pay_out, merchant)])

        assert outcomes(results) in (
            {"succeeded": 1, "INSUFFICIENT_BALANCE": 1},
            {"pending": 1, "scheduled": 1},
        )
        assert held(merchant, Purpose.MERCHANT) == 0
        finish(merchant)
    assert problems() == []


def test_a_payout_leaves_what_a_refund_that_is_under_way_will_wait_for(merchant):
    payment = sell(merchant, 1_000)
    credit(merchant, -1)

    refused = held_up(partial(give_back, payment), partial(pay_out, merchant))

    assert isinstance(refused, InsufficientBalance)
    assert held(merchant, Purpose.MERCHANT) == 999


def finish(merchant):
    """End what is still waiting, so that the next round starts from nothing."""
    for waiting in Refund.objects.pending():
        fail_refund(refund_id=waiting.id, reason="x", actor="staff:ann", now=utc_now())


def test_refunds_at_once_settle_an_inquiry_once(merchant):
    """The one that had waited for the payment saw the inquiry as it was before: still open."""
    for _ in range(10):
        payment = sell(merchant, 100)
        report = ProblemReport(reason=InquiryReason.OTHER)
        report_problem(payment_id=payment.id, report=report, actor="visitor", now=utc_now())

        results = at_once([partial(give_back, payment, 10)] * 4)

        assert outcomes(results) == {"succeeded": 4}
        settled = InquiryEntry.objects.filter(inquiry__payment=payment, status="refunded")
        assert settled.count() == 1
    assert event_types("inquiry.updated") == ["inquiry.updated"] * 10


def test_two_workers_retry_once(merchant):
    payment = sell(merchant, 1_000)
    credit(merchant, -1_000)
    assert {give_back(payment, 100).status for _ in range(10)} == {"pending"}
    credit(merchant, 1_000)

    counts = at_once([partial(retry_pending, now=utc_now())] * 4)

    assert sum(count for count in counts if isinstance(count, int)) == 10
    assert Transfer.objects.filter(kind=TransferKind.REFUND).count() == 10
    assert RefundTransition.objects.count() == 10
    assert event_types("refund.completed") == ["refund.completed"] * 10
    assert problems() == []


def test_a_retry_and_staff_who_give_up_have_one_winner(merchant):
    for _ in range(20):
        payment = sell(merchant, 100)
        credit(merchant, -held(merchant, Purpose.MERCHANT))
        waiting = give_back(payment)
        credit(merchant, 100)

        results = at_once(
            [
                partial(retry_refund, refund_id=waiting.id, now=utc_now()),
                partial(fail_refund, refund_id=waiting.id, reason="x", actor="a", now=utc_now()),
            ]
        )

        assert sum(isinstance(result, RefundFinal) for result in results) == 1
        waiting.refresh_from_db()
        moved = Transfer.objects.filter(reference=waiting.id).exists()
        assert moved is (waiting.status == "succeeded")
    assert problems() == []


def buy(customer, payments):
    return [pay_with(payment.id, customer).status for payment in payments]


def take_back(payments):
    return [give_back(payment).status for payment in payments]


def seal_often():
    for _ in range(60):
        seal_transfers(now=utc_now())
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("each", [10, *at_night(50, why="by day a fifth of them meet")])
def test_opposite_payments_and_refunds_do_not_deadlock(merchant, each):
    """One customer pays one merchant `5 * each` times; as many earlier payments are refunded."""
    customer = CustomerFactory(merchant=merchant)
    top_up(customer=customer, amount=25_000, currency="BSD", now=utc_now())
    merchant.fee_basis_points = 500
    merchant.save(update_fields=["fee_basis_points"])
    payments = [PaymentFactory(merchant=merchant, amount=50) for _ in range(10 * each)]
    before, after = payments[: 5 * each], payments[5 * each :]
    at_once([partial(buy, customer, before[start::5]) for start in range(5)])

    results = at_once(
        [partial(buy, customer, after[start::5]) for start in range(5)]
        + [partial(take_back, before[start::5]) for start in range(5)]
        + [seal_often]
    )

    assert results == [["completed"] * each] * 5 + [["succeeded"] * each] * 5 + [None]
    assert wallet(customer, "BSD").balance == 25_000 - 5 * each * 50
    assert held(merchant, Purpose.MERCHANT) == 5 * each * (50 - 3)
    assert problems() == []
