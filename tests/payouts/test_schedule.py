"""Payouts by schedule, in the merchant's time zone"""

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError

from core.clock import iso
from ledger.models import Purpose
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payouts.bank_accounts import open_bank_account
from payouts.models import BankHoliday, Payout, SettledPeriod
from payouts.scheduling import schedule_due, schedule_period
from payouts.services import schedule_payout
from tests.events import event_types
from tests.payouts.conftest import DETAILS
from tests.payouts.merchant_balance import credit, held
from tests.payouts.nassau import JOINED, at

MONDAY = at("2026-11-16T00:00")
DAY = MONDAY.date()


@pytest.fixture
def weekly(merchant, bank_account):
    Merchant.objects.update(created_at=JOINED)
    return merchant


def test_a_week_is_paid_out_on_its_first_business_day(weekly):
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=at("2026-11-15T23:59:59.999")) == 0
    assert schedule_due(now=MONDAY) == 1

    payout = Payout.objects.get()
    assert (payout.amount, payout.origin, payout.livemode) == (1250, "schedule", True)
    assert (payout.send_date.isoformat(), payout.arrival_date.isoformat()) == (
        "2026-11-16",
        "2026-11-17",
    )
    assert payout.transitions.get().actor == "system:payouts.schedule"
    assert event_types() == ["payout.created"]


def test_a_week_is_paid_out_once(weekly):
    credit(weekly, 1250, livemode=True)
    assert [schedule_due(now=MONDAY), schedule_due(now=MONDAY)] == [1, 0]

    credit(weekly, 700, livemode=True)

    assert schedule_due(now=at("2026-11-20T12:00")) == 0
    assert schedule_due(now=at("2026-11-23T00:00")) == 1
    assert sorted(Payout.objects.values_list("amount", flat=True)) == [700, 1250]


def test_a_run_that_comes_late_finds_the_period_served(weekly, bank_account):
    for amount in (1250, 700):
        credit(weekly, amount, livemode=True)
        served = schedule_period(bank_account=bank_account, period=DAY, day=DAY, now=MONDAY)

    assert served is None
    assert Payout.objects.get().amount == 1250


def test_a_week_missed_is_made_up_for(weekly):
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=at("2026-11-19T12:00")) == 1


def test_a_holiday_moves_the_week_to_the_next_day(weekly):
    BankHoliday.objects.create(date="2026-11-16", name="A day off")
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=at("2026-11-16T12:00")) == 0
    assert schedule_due(now=at("2026-11-17T00:00")) == 1


def test_each_day_of_a_daily_schedule(weekly):
    Merchant.objects.update(payout_schedule="daily")
    scheduled = []
    for day in range(13, 19):  # Friday to Wednesday
        credit(weekly, 1000, livemode=True)
        scheduled.append(schedule_due(now=at(f"2026-11-{day}T08:00")))

    assert scheduled == [1, 0, 0, 1, 1, 1]
    assert sorted(Payout.objects.values_list("amount", flat=True)) == [1000, 1000, 1000, 3000]


def test_a_month_is_paid_out_on_its_first_business_day(weekly):
    Merchant.objects.update(payout_schedule="monthly")
    credit(weekly, 1250, livemode=True)
    served = at("2026-10-30T12:00")
    assert schedule_due(now=served) == 1
    credit(weekly, 700, livemode=True)

    assert schedule_due(now=at("2026-11-01T12:00")) == 0  # a Sunday
    assert schedule_due(now=at("2026-11-02T00:00")) == 1


def test_a_manual_schedule_waits_to_be_asked(weekly):
    Merchant.objects.update(payout_schedule="manual")
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=MONDAY) == 0


def test_a_changed_schedule_counts_at_once(weekly):
    credit(weekly, 1250, livemode=True)
    assert schedule_due(now=MONDAY) == 1
    credit(weekly, 700, livemode=True)
    Merchant.objects.update(payout_schedule="daily")

    assert schedule_due(now=at("2026-11-17T00:00")) == 1


@pytest.mark.parametrize(
    ("before", "after", "following"),
    [("weekly", "daily", 18), ("monthly", "weekly", 23), ("daily", "weekly", 23)],
)
def test_a_changed_schedule_pays_no_second_time_that_day(weekly, before, after, following):
    """A period that began before its payout ended before it, too, for a shorter schedule."""
    BankHoliday.objects.create(date="2026-11-16", name="A day off")
    Merchant.objects.update(payout_schedule=before)
    credit(weekly, 1250, livemode=True)
    assert schedule_due(now=at("2026-11-17T08:00")) == 1
    credit(weekly, 700, livemode=True)
    Merchant.objects.update(payout_schedule=after)

    assert schedule_due(now=at("2026-11-17T09:00")) == 0
    assert schedule_due(now=at(f"2026-11-{following}T00:00")) == 1


def test_the_day_begins_in_the_merchants_time_zone(weekly):
    Merchant.objects.update(time_zone="Pacific/Auckland")
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=datetime(2026, 11, 15, 10, 59, tzinfo=UTC)) == 0
    assert schedule_due(now=datetime(2026, 11, 15, 11, 0, tzinfo=UTC)) == 1


def test_the_first_period_begins_after_the_merchant_joined(weekly):
    Merchant.objects.update(created_at=at("2026-11-16T00:00"))
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=at("2026-11-18T12:00")) == 0
    assert schedule_due(now=at("2026-11-23T00:00")) == 1


def test_too_little_waits_for_the_next_period(weekly):
    credit(weekly, 99, livemode=True)
    assert schedule_due(now=MONDAY) == 0
    credit(weekly, 1, livemode=True)

    assert schedule_due(now=at("2026-11-18T12:00")) == 0
    assert schedule_due(now=at("2026-11-23T00:00")) == 1
    assert event_types() == ["payout.created"]


def test_each_currency_with_an_account_is_paid_out(weekly):
    for currency in ("BSD", "USD", "EUR"):
        credit(weekly, 1250, currency=currency, livemode=True)
    dollars = dataclasses.replace(DETAILS, currency="USD")
    open_bank_account(
        merchant_id=weekly.id, livemode=True, details=dollars, actor="staff:ann", now=JOINED
    )

    assert schedule_due(now=MONDAY) == 2
    assert held(weekly, Purpose.MERCHANT, currency="EUR", livemode=True) == 1250


def test_nothing_goes_to_a_suspended_merchant(weekly):
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)
    credit(weekly, 1250, livemode=True)

    assert schedule_due(now=MONDAY) == 0


def test_live_money_goes_to_verified_merchants_where_they_must_be(weekly, settings):
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    credit(weekly, 1250, livemode=True)
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    assert schedule_due(now=MONDAY) == 0

    settings.REQUIRE_VERIFIED_MERCHANTS = False

    assert schedule_due(now=MONDAY) == 1


def test_a_test_account_is_paid_out_too(api, weekly, settings):
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    credit(weekly, 1250)
    api(weekly).post("/v1/payouts", {"amount": 250})

    assert schedule_due(now=MONDAY) == 1
    assert Payout.objects.get(origin="schedule").amount == 1000


@pytest.mark.parametrize("error", [DatabaseError("lock timeout"), ValueError("poison")])
def test_one_merchants_failure_holds_up_no_other(weekly, stranger, monkeypatch, error):
    Merchant.objects.update(created_at=JOINED)
    open_bank_account(
        merchant_id=stranger.id, livemode=True, details=DETAILS, actor="staff:ann", now=JOINED
    )
    for merchant in (weekly, stranger):
        credit(merchant, 1250, livemode=True)

    def refuse_one(**arguments):
        if arguments["merchant"] == weekly:
            raise error
        return schedule_payout(**arguments)

    monkeypatch.setattr("payouts.scheduling.schedule_payout", refuse_one)
    assert schedule_due(now=MONDAY) == 1
    monkeypatch.undo()

    assert schedule_due(now=MONDAY) == 1
    assert SettledPeriod.objects.count() == 2
    assert iso(Payout.objects.filter(merchant=weekly).get().created_at) == iso(MONDAY)


def test_a_merchant_that_is_suspended_before_its_turn_waits(weekly, bank_account):
    credit(weekly, 1250, livemode=True)
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    assert schedule_period(bank_account=bank_account, period=DAY, day=DAY, now=MONDAY) is None
    assert not Payout.objects.exists()
    Merchant.objects.update(status=MerchantStatus.VERIFIED)
    assert schedule_due(now=MONDAY) == 1


@pytest.mark.parametrize("schedule", ["weekly", "daily"])
def test_no_number_of_test_accounts_holds_up_live_ones(
    weekly, bank_account, stranger, monkeypatch, schedule
):
    """Whose calendar comes first, and fills a batch, or takes the whole turn, are tests."""
    Merchant.objects.filter(pk=stranger.pk).update(created_at=JOINED, payout_schedule=schedule)
    earlier = bank_account.created_at - timedelta(days=1)
    open_bank_account(
        merchant_id=stranger.id, livemode=False, details=DETAILS, actor="key:test", now=earlier
    )
    credit(weekly, 1250, livemode=True)

    def in_a_short_turn(**due):
        if not due["bank_account"].livemode:
            raise SoftTimeLimitExceeded
        return schedule_period(**due)

    monkeypatch.setattr("payouts.scheduling.BATCH", 1)
    monkeypatch.setattr("payouts.scheduling.schedule_period", in_a_short_turn)
    with pytest.raises(SoftTimeLimitExceeded):
        schedule_due(now=MONDAY)

    assert Payout.objects.get().merchant == weekly
