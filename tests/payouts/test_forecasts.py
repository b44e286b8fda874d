"""A forecast names the day and the amount of the payout that the schedule then makes."""

from datetime import datetime, timedelta

import pytest

from ledger.models import Purpose
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from payouts.balances import balances_of
from payouts.bank_accounts import open_bank_account
from payouts.forecasts import Forecast, forecast_payouts
from payouts.models import BankHoliday, Payout
from payouts.scheduling import schedule_due
from tests.payouts.conftest import DETAILS
from tests.payouts.merchant_balance import credit, held
from tests.payouts.nassau import JOINED, at

LONGEST_HOURS = 32 * 24
pytestmark = pytest.mark.django_db


@pytest.fixture
def served(merchant: Merchant) -> Merchant:
    """A merchant whose first payouts were made on Thursday, 12 November 2026."""
    Merchant.objects.update(created_at=JOINED)
    merchant.refresh_from_db()
    open_bank_account(
        merchant_id=merchant.id, livemode=True, details=DETAILS, actor="staff:ann", now=JOINED
    )
    credit(merchant, 500, livemode=True)
    assert schedule_due(now=at("2026-11-12T12:00")) == 1
    Payout.objects.update(description="before")
    return merchant


def forecasts(merchant: Merchant, now: datetime, *, livemode: bool = True) -> list[Forecast]:
    merchant.refresh_from_db()
    balances = balances_of(merchant_id=merchant.pk, livemode=livemode)
    return list(forecast_payouts(merchant, balances, now=now))


def made(now: datetime) -> Payout:
    """Let the schedule run every hour until it pays out."""
    hours = (now + timedelta(hours=number) for number in range(LONGEST_HOURS))
    assert any(schedule_due(now=hour) for hour in hours)
    return Payout.objects.get(description="")


@pytest.mark.parametrize(
    ("schedule", "asked", "day", "arrival"),
    [
        ("weekly", "2026-11-13T12:00", "2026-11-16", "2026-11-17"),
        ("weekly", "2026-11-14T12:00", "2026-11-16", "2026-11-17"),  # a Saturday
        ("weekly", "2026-11-16T00:00", "2026-11-16", "2026-11-17"),  # a moment before it is made
        # a holiday, after a missed week
        ("weekly", "2026-11-23T08:00", "2026-11-24", "2026-11-25"),
        ("daily", "2026-11-12T12:00", "2026-11-13", "2026-11-16"),  # weekly until now
        ("daily", "2026-11-14T12:00", "2026-11-16", "2026-11-17"),
        ("monthly", "2026-11-20T12:00", "2026-12-01", "2026-12-02"),
        ("monthly", "2027-05-01T12:00", "2027-05-03", "2027-05-04"),  # begins on a Saturday
    ],
)
def test_it_is_what_the_schedule_pays_out(
    served: Merchant, schedule: str, asked: str, day: str, arrival: str
) -> None:
    BankHoliday.objects.create(date="2026-11-23", name="A day off")
    Merchant.objects.update(payout_schedule=schedule)
    credit(served, 1_250, livemode=True)

    [foreseen] = forecasts(served, at(asked))

    payout = made(at(asked))
    assert (foreseen.day, foreseen.amount) == (payout.send_date, payout.amount)
    assert (foreseen.day.isoformat(), foreseen.arrival_date.isoformat()) == (day, arrival)
    assert (foreseen.amount, foreseen.bank_account) == (1_250, payout.bank_account)
    assert payout.arrival_date == foreseen.arrival_date


def test_what_is_kept_for_refunds_is_not_in_it(served: Merchant, settings) -> None:
    settings.PAYOUT_RESERVES = ["tests.payouts.test_request.keep_three_hundred"]  # of test money
    open_bank_account(
        merchant_id=served.id, livemode=False, details=DETAILS, actor="key:test", now=JOINED
    )
    credit(served, 1_250)

    [foreseen] = forecasts(served, at("2026-11-13T12:00"), livemode=False)

    assert foreseen.amount == made(at("2026-11-13T12:00")).amount == 950
    assert held(served, Purpose.MERCHANT) == 300


def test_less_than_the_minimum_is_not_paid_out(served: Merchant) -> None:
    credit(served, 99, livemode=True)

    [foreseen] = forecasts(served, at("2026-11-13T12:00"))

    assert foreseen.amount == 0
    assert schedule_due(now=at("2026-11-16T00:00")) == 0


@pytest.mark.parametrize("why", ["manual", "suspended", "unverified", "no account"])
def test_there_is_none_where_the_schedule_pays_nothing_out(
    served: Merchant, stranger: Merchant, settings, why: str
) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    open_bank_account(
        merchant_id=stranger.id, livemode=True, details=DETAILS, actor="staff:ann", now=JOINED
    )
    credit(served, 1_250, livemode=True)
    Merchant.objects.update(status=MerchantStatus.VERIFIED)
    assert len(forecasts(served, at("2026-11-13T12:00"))) == 1
    changes: dict[str, dict[str, str]] = {
        "manual": {"payout_schedule": "manual"},
        "suspended": {"status": MerchantStatus.SUSPENDED},
        "unverified": {"status": MerchantStatus.UNVERIFIED},
    }
    if why in changes:
        Merchant.objects.update(**changes[why])

    found = forecasts(served, at("2026-11-13T12:00"), livemode=why != "no account")

    assert found == []
