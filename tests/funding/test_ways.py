"""By which ways money comes in, how much in a day, and what becomes of what does not come."""

from datetime import timedelta

import pytest

from checkout.adding import choices_of
from core.clock import utc_now
from core.errors import InvalidAmount
from customers.errors import CustomerFrozen
from customers.services import freeze
from funding import collecting
from funding.errors import FundingLimitReached, TopUpNotFound
from funding.models import TopUp
from funding.providers import BankTransfer, FundingResult, SimulatedFunding, ways_offered
from funding.services import cancel_top_up, credit_top_up, expire_top_up, order_top_up
from funding.tasks import collect_top_ups
from tests.funding.money_in import LIVE, customer_with, ordered

pytestmark = pytest.mark.django_db
DAY, MOMENT = timedelta(days=1), timedelta(milliseconds=1)
LARGEST = 99_999_999_999


def test_each_is_offered_where_it_can_be_used(settings):
    table = {(mode, coin): ways_offered(livemode=mode, currency=coin)
             for mode in (False, True) for coin in ("BSD", "USD")}  # fmt: skip
    assert table == {
        (False, "BSD"): ["bank_transfer", "agent", "simulated"],
        (False, "USD"): ["simulated"],
        (True, "BSD"): ["bank_transfer", "agent"],
        (True, "USD"): [],
    }
    settings.PAYOUT_DEBTOR_ACCOUNT = settings.FUNDING_CASH_PLACE = ""
    assert ways_offered(livemode=True, currency="BSD") == []


def test_the_way_that_takes_days_is_no_main_button():
    offered = [choice.way for choice in choices_of(livemode=False, currency="BSD")]

    assert offered == ["agent", "simulated", "bank_transfer"]


def test_each_is_waited_for_as_long_as_it_may_take():
    customer = customer_with(0)

    made = [ordered(customer, way=way) for way in ("bank_transfer", "agent", "simulated")]

    assert [each.expires_at - each.created_at for each in made] == [30 * DAY, 3 * DAY, DAY]
    assert {each.reference[:2] + str(len(each.reference)) for each in made} == {"RF12"}


@pytest.mark.parametrize(("amount", "is_taken"), [(0, 0), (1, 1), (LARGEST, 1), (LARGEST + 1, 0)])
def test_an_order_is_of_an_amount_that_can_be_moved(amount, is_taken):
    customer = customer_with(0)
    if is_taken:
        assert ordered(customer, amount).amount == amount
        return
    with pytest.raises(InvalidAmount):
        ordered(customer, amount)
    assert not TopUp.objects.exists()


def test_another_currency_is_another_wish():
    names = {"customer_id": customer_with(0).pk, "way": "simulated", "amount": 1, "now": utc_now()}

    made = {order_top_up(**names, currency=currency) for currency in ("BSD", "USD", "BSD")}

    assert len(made) == 2


def test_a_frozen_customer_orders_nothing():
    customer = customer_with(0)
    freeze(customer_id=customer.pk, actor="staff:ann", now=utc_now())

    with pytest.raises(CustomerFrozen):
        ordered(customer)


def test_simulated_money_arrives_after_three_seconds():
    top_up = ordered(customer_with(0), 500, "simulated")
    arrives = top_up.created_at + timedelta(seconds=3)
    provider = SimulatedFunding()

    assert provider.fetch_result(top_up, now=arrives - MOMENT) is None
    assert provider.fetch_result(top_up, now=arrives) == FundingResult(500, "")
    assert collecting.collect_results(now=top_up.created_at) == 0
    assert TopUp.objects.get().status == "pending"


def test_only_what_comes_by_itself_is_asked_for(monkeypatch):
    customer = customer_with(0)
    ordered(customer)
    monkeypatch.setattr(BankTransfer, "fetch_result", pytest.fail)

    assert collecting.collect_results(now=utc_now()) == 0


def test_what_cannot_come_is_told_why(monkeypatch):
    top_up = ordered(customer_with(0), way="simulated")
    result = FundingResult(problem="x" * 300)
    monkeypatch.setattr(SimulatedFunding, "fetch_result", lambda *_, **__: result)

    assert collect_top_ups() == 1

    top_up.refresh_from_db()
    assert (top_up.status, top_up.amount_received) == ("failed", None)
    move = top_up.transitions.latest("pk")
    assert (move.actor, move.cause) == ("system:funding.collect", "x" * 255)


def test_what_was_collected_and_followed_up_is_counted_together(payment_of):
    ordered(customer_with(0), 150, "simulated", payment_of(150))

    assert collecting.collect_results(now=utc_now() + timedelta(seconds=4)) == 1
    ordered(customer_with(0), 160, "simulated", payment_of(160))
    TopUp.objects.filter(amount=160).update(created_at=utc_now() - timedelta(seconds=4))

    assert [collect_top_ups() for _ in range(2)] == [3, 0]


def test_only_what_is_late_expires(monkeypatch):
    customer = customer_with(0)
    late, waiting, given_up = (ordered(customer, amount) for amount in (1, 2, 3))
    cancel_top_up(top_up_id=given_up.pk, customer_id=customer.pk, now=utc_now())
    TopUp.objects.filter(amount__gte=2).update(expires_at=late.expires_at + MOMENT)
    asked = []

    def one(*, top_up_id, now):
        asked.append(top_up_id)
        return expire_top_up(top_up_id=top_up_id, now=late.expires_at)

    monkeypatch.setattr(collecting, "expire_top_up", one)
    assert collecting.expire_due(now=late.expires_at) == 1

    assert asked == [late.pk]
    assert expire_top_up(top_up_id=waiting.pk, now=late.expires_at) is False
    shown = {
        status: {each.amount for each in TopUp.objects.shown_as(status, late.expires_at + MOMENT)}
        for status in ("pending", "expired", "canceled")
    }
    assert shown == {"pending": set(), "expired": {1, 2}, "canceled": {3}}
    assert [each.amount for each in TopUp.objects.shown_as("pending", late.expires_at)] == [2]
    assert [each.amount for each in TopUp.objects.shown_as("expired", late.expires_at)] == [1]


def test_another_customer_cannot_cancel_it():
    top_up = ordered(customer_with(0))

    with pytest.raises(TopUpNotFound):
        cancel_top_up(top_up_id=top_up.pk, customer_id="cus_x", now=utc_now())

    assert TopUp.objects.get().status == "pending"


NOW, JUST, BEFORE = timedelta(0), MOMENT - DAY, -DAY
CAME = {"status": "succeeded", "amount_received": 700, "transaction_id": "txn_1"}


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({}, 1_000),
        ({"created_at": JUST}, 1_000),
        ({"created_at": BEFORE}, 3_000),
        ({"status": "canceled"}, 3_000),
        ({**CAME, "created_at": BEFORE, "succeeded_at": JUST}, 2_300),
        ({**CAME, "succeeded_at": BEFORE}, 3_000),
        (
            {**CAME, "status": "reversed", "succeeded_at": NOW}
            | {"amount_reversed": 700, "reversed_at": NOW},
            3_000,
        ),
    ],
)
def test_what_counts_for_the_limit_of_a_day(settings, change, left):
    now, settings.FUNDING_DAY_AMOUNT = utc_now(), 3_000
    customer = customer_with(0, LIVE, livemode=True)
    first = ordered(customer, 2_000)
    change = {"created_at": NOW} | change
    values = {name: now + it if name.endswith("_at") else it for name, it in change.items()}
    TopUp.objects.filter(pk=first.pk).update(**values)
    ordered(customer_with(0, "+12424567891", livemode=True), 2_900)
    names = {"customer_id": customer.pk, "way": "bank_transfer", "currency": "BSD", "now": now}

    with pytest.raises(FundingLimitReached) as refusal:
        order_top_up(**names, amount=left + 1)
    assert (refusal.value.left, refusal.value.details) == (left, f"left today: {left}")
    order_top_up(**names, amount=left)
    with pytest.raises(FundingLimitReached) as refusal:
        order_top_up(**names, amount=1)
    assert refusal.value.left == 0


@pytest.mark.parametrize("act", ["follow_up", "expire"])
def test_live_top_ups_go_before_those_of_tests(payment_of, monkeypatch, act):
    """Anyone makes as many of the others as they like; a turn has five hundred of them."""
    test = ordered(customer_with(0), 150, payment=payment_of(150))
    sale = payment_of(150, livemode=True)
    live = ordered(customer_with(0, LIVE, livemode=True), 150, payment=sale)
    asked, late = [], live.expires_at + timedelta(days=1)

    def noted(*, top_up_id, now):
        asked.append(top_up_id)
        return True

    monkeypatch.setattr(collecting, "BATCH", 1)
    monkeypatch.setattr(collecting, "follow_up", noted)
    monkeypatch.setattr(collecting, "expire_top_up", noted)
    if act == "follow_up":
        for each in (test, live):
            credit_top_up(top_up_id=each.pk, amount=150, actor="test", now=utc_now())
        assert collecting.follow_up_due(now=utc_now()) == 1
    else:
        assert collecting.expire_due(now=late) == 1

    assert asked == [live.pk]
