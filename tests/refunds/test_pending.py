"""Refunds that the merchant's balance does not cover: they wait, are retried, and end"""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError

from core.clock import utc_now
from ledger.models import Purpose, Transfer, TransferKind
from refunds import retrying
from refunds.errors import RefundFinal, RefundNotFound
from refunds.failures import GIVE_UP_AFTER
from refunds.models import Refund, RefundTransition
from refunds.reserve import pending_amounts
from refunds.retrying import retry_pending
from refunds.services import fail_refund, retry_refund
from refunds.tasks import retry_refunds
from tests.events import event_data, event_types
from tests.factories import MerchantFactory
from tests.payouts.merchant_balance import credit, held
from tests.refunds.refunding import refund, sell, sell_live
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db
MOMENT = timedelta(milliseconds=1)


def record(api, payment):
    return api(payment.merchant).get(f"/v1/payments/{payment.id}").json()


def test_it_waits_where_one_cent_is_missing(api, merchant, paid):
    credit(merchant, -1)

    response = refund(api, paid, 1_250)

    assert (response.status_code, response.json()["status"]) == (201, "pending")
    assert "transaction_id" not in response.json()
    shown = record(api, paid)
    assert (shown["amount_refunded"], shown["amount_refundable"]) == (0, 0)
    assert shown["refund_status"] == "none"
    assert event_types("refund") == ["refund.created"]
    assert event_types("payment.r") == []
    assert not Transfer.objects.filter(kind=TransferKind.REFUND).exists()
    assert held(merchant, Purpose.MERCHANT) == 1_249


def test_what_waits_cannot_be_refunded_again(api, paid, pending):
    response = refund(api, paid, 1)

    assert response.json()["code"] == "REFUND_EXCEEDS_PAYMENT"


def test_a_smaller_refund_need_not_wait_for_a_larger_one(api, merchant, paid):
    credit(merchant, -300)

    assert [refund(api, paid, part).json()["status"] for part in (1_000, 200, 50)] == [
        "pending",
        "succeeded",
        "succeeded",
    ]
    shown = record(api, paid)
    assert (shown["amount_refunded"], shown["amount_refundable"]) == (250, 0)


def test_it_goes_out_once_it_is_covered(api, merchant, paid, pending):
    assert retry_refunds() == 0
    assert RefundTransition.objects.count() == 0
    credit(merchant, 1)

    assert [retry_refunds() for _ in range(2)] == [1, 0]

    pending.refresh_from_db()
    assert pending.status == "succeeded"
    assert pending.succeeded_at == pending.updated_at > pending.created_at
    moved = RefundTransition.objects.get()
    assert (moved.from_status, moved.to_status) == ("pending", "succeeded")
    assert moved.actor == "system:refunds.retry"
    assert record(api, paid)["amount_refunded"] == 1_250
    assert sorted(event_types("refund")) == ["refund.completed", "refund.created"]
    assert held(merchant, Purpose.MERCHANT) == 0


def test_it_goes_out_no_earlier_than_it_was_requested(merchant, pending):
    """The turn read its clock a moment before the refund was requested."""
    credit(merchant, 1)

    assert retry_pending(now=pending.created_at - timedelta(milliseconds=1)) == 1

    pending.refresh_from_db()
    assert pending.succeeded_at == RefundTransition.objects.get().at == pending.created_at


def test_a_retry_in_vain_changes_nothing(paid, pending):
    paid.refresh_from_db()

    assert retry_refund(refund_id=pending.id, now=utc_now()).status == "pending"

    assert paid.updated_at == pending.updated_at == type(paid).objects.get().updated_at
    assert event_types("refund") == ["refund.created"]


def test_it_fails_after_thirty_days(api, paid, pending):
    given_up = pending.created_at + GIVE_UP_AFTER
    assert retry_pending(now=given_up - MOMENT) == 0

    assert retry_pending(now=given_up) == 1

    shown = api(paid.merchant).get(f"/v1/refunds/{pending.id}").json()
    assert (shown["status"], shown["failed_at"][:10]) == ("failed", str(given_up.date()))
    assert shown["failure_reason"] == "The merchant's balance did not cover the refund for 30 days."
    assert event_data("refund.failed")["failure_reason"] == shown["failure_reason"]
    assert record(api, paid)["amount_refundable"] == 1_250


def test_a_refund_that_is_covered_on_its_last_day_succeeds(merchant, pending):
    credit(merchant, 1)

    retry_pending(now=pending.created_at + GIVE_UP_AFTER)

    assert Refund.objects.get().status == "succeeded"


def test_staff_can_give_it_up(api, paid, pending):
    fail_refund(refund_id=pending.id, reason="Paid in cash", actor="staff:ann", now=utc_now())

    assert RefundTransition.objects.get().actor == "staff:ann"
    assert event_data("refund.failed") == {
        "refund_id": pending.id,
        "payment_id": paid.id,
        "merchant_id": paid.merchant_id,
        "amount": 1_250,
        "currency": "BSD",
        "reason": "",
        "status": "failed",
        "failure_reason": "Paid in cash",
        "failed_at": event_data("refund.failed")["failed_at"],
    }
    assert refund(api, paid, 1_249).json()["status"] == "succeeded"


@pytest.mark.parametrize("status", ["succeeded", "failed"])
def test_what_has_ended_is_not_touched_again(merchant, pending, status):
    credit(merchant, 2_000)
    if status == "failed":
        fail_refund(refund_id=pending.id, reason="x", actor="staff:ann", now=utc_now())
    retry_refunds()
    events = event_types()

    with pytest.raises(RefundFinal, match=f"is {status}"):
        retry_refund(refund_id=pending.id, now=utc_now())
    with pytest.raises(RefundFinal, match=f"is {status}"):
        fail_refund(refund_id=pending.id, reason="y", actor="staff:bob", now=utc_now())

    assert Refund.objects.get().status == status
    assert event_types() == events
    assert RefundTransition.objects.count() == 1


def test_there_must_be_such_a_refund():
    with pytest.raises(RefundNotFound):
        retry_refund(refund_id="ref_0", now=utc_now())
    with pytest.raises(RefundNotFound):
        fail_refund(refund_id="ref_0", reason="x", actor="staff:ann", now=utc_now())


@pytest.fixture
def two_waiting(api, merchant):
    """Two pending refunds of 100 each, oldest first, and the money for both."""
    payment = sell(merchant, 300)
    credit(merchant, -300)
    made = [refund(api, payment, 100).json()["id"] for _ in range(2)]
    credit(merchant, 200)
    return made


def test_those_that_waited_longest_come_first(merchant, two_waiting):
    credit(merchant, -100)

    assert retry_refunds() == 1

    assert Refund.objects.get(status="pending").id == two_waiting[1]


def test_each_that_can_be_covered_is_tried_once(api, merchant, stranger, monkeypatch):
    sales = {
        sell(merchant, 300): 300, sell(merchant, 400, currency="USD"): 399,
        sell_live(merchant, 300): 300, sell(stranger, 300): 300, sell(merchant, 500): 499,
    }  # fmt: skip
    made = []
    for sale, left in sales.items():
        of: dict[str, Any] = {"currency": sale.currency, "livemode": sale.livemode}
        credit(sale.merchant, -held(sale.merchant, Purpose.MERCHANT, **of), **of)
        made.append(refund(api, sale).json()["id"])
        assert Refund.objects.get(pk=made[-1]).status == "pending"
        credit(sale.merchant, left, **of)
    tried = []

    def retry(*, refund_id, now):
        tried.append(refund_id)
        return retry_refund(refund_id=refund_id, now=now)

    monkeypatch.setattr(retrying, "retry_refund", retry)
    retry_refunds()

    assert sorted(tried) == sorted([made[0], made[2], made[3]])


def test_what_waits_is_reserved_by_merchant_and_mode(api, merchant, stranger):
    for sale in (sell(merchant, 300), sell(stranger, 200), sell_live(merchant, 100)):
        credit(sale.merchant, -1, livemode=sale.livemode)
        refund(api, sale)
    failed = sell(merchant, 50)
    credit(merchant, -349)
    fail_refund(
        refund_id=refund(api, failed).json()["id"], reason="x", actor="staff:ann", now=utc_now()
    )

    assert list(pending_amounts(merchant.id, livemode=False)) == [("BSD", 300)]
    assert list(pending_amounts(merchant.id, livemode=True)) == [("BSD", 100)]


def test_a_payment_is_as_new_as_its_last_refund(api, paid):
    with off_by(timedelta(hours=1)):
        made = refund(api, paid, 1).json()

    assert record(api, paid)["updated_at"] == made["created_at"]


def test_no_merchant_waits_for_the_refunds_of_another(api, merchant, stranger, monkeypatch):
    monkeypatch.setattr("refunds.retrying.BATCH", 1)
    sales = [sell(seller, 300) for seller in (merchant, stranger)]
    for sale, parts in zip(sales, ((100, 100, 100), (300,)), strict=True):
        credit(sale.merchant, -300)
        assert {refund(api, sale, part).json()["status"] for part in parts} == {"pending"}
        credit(sale.merchant, 300)

    assert retry_pending(now=utc_now()) == 2

    assert Refund.objects.get(merchant=stranger).status == "succeeded"


@pytest.mark.parametrize("error", [DatabaseError("lock timeout"), ValueError("poison")])
def test_one_that_cannot_be_tried_holds_up_no_other(two_waiting, monkeypatch, error):
    def retry(*, refund_id, now):
        if refund_id == two_waiting[0]:
            raise error
        return retry_refund(refund_id=refund_id, now=now)

    monkeypatch.setattr(retrying, "retry_refund", retry)
    assert retry_refunds() == 1

    assert Refund.objects.get(pk=two_waiting[1]).status == "succeeded"


def test_the_fee_helps_to_cover_it(api, merchant):
    payment = sell(merchant, 1_000, fee=1_000)
    assert held(merchant, Purpose.MERCHANT) == 900
    credit(merchant, -1)
    assert refund(api, payment).json()["status"] == "pending"
    credit(merchant, 1)

    assert retry_refunds() == 1

    assert Refund.objects.get().fee_returned == 100
    assert held(merchant, Purpose.MERCHANT) == held(merchant, Purpose.FEES) == 0


def test_live_refunds_are_retried_before_those_of_tests(api, monkeypatch):
    """Anyone makes as many of the others as they like, and the balance of each is looked at."""
    sold = [sell(MerchantFactory(id=f"mer_{number}"), 500) for number in range(3)]
    sold.append(sell_live(MerchantFactory(id="mer_9"), 500))
    for payment in sold:
        credit(payment.merchant, -1, livemode=payment.livemode)
        assert refund(api, payment).json()["status"] == "pending"
        credit(payment.merchant, 1, livemode=payment.livemode)
    asked, as_ever = [], retry_refund

    def noted(*, refund_id, now):
        done = as_ever(refund_id=refund_id, now=now)
        asked.append(done.livemode)
        return done

    monkeypatch.setattr(retrying, "retry_refund", noted)
    assert retry_pending(now=utc_now()) == 4

    assert asked == [True, False, False, False]
