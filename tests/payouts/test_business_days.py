"""Business days and the periods of a schedule: pure"""

from datetime import date
from importlib import import_module

import pytest

from payouts.business_days import BusinessDays
from payouts.periods import next_payout_day, period_due

HOLIDAYS = BusinessDays(frozenset({date(2026, 12, 25), date(2026, 12, 28), date(2027, 1, 1)}))


@pytest.mark.parametrize(
    ("day", "on_or_after", "after"),
    [
        ("2026-12-23", "2026-12-23", "2026-12-24"),
        ("2026-12-24", "2026-12-24", "2026-12-29"),
        ("2026-12-25", "2026-12-29", "2026-12-29"),
        ("2026-12-26", "2026-12-29", "2026-12-29"),
        ("2026-12-31", "2026-12-31", "2027-01-04"),
        ("2027-01-02", "2027-01-04", "2027-01-04"),
    ],
)
def test_weekends_and_holidays_are_passed_over(day, on_or_after, after):
    day = date.fromisoformat(day)

    assert HOLIDAYS.on_or_after(day) == date.fromisoformat(on_or_after)
    assert HOLIDAYS.after(day) == date.fromisoformat(after)


@pytest.mark.parametrize(
    ("schedule", "today", "period"),
    [
        ("daily", "2026-12-24", "2026-12-24"),
        ("daily", "2026-12-25", None),
        ("daily", "2026-12-27", None),
        ("weekly", "2026-12-21", "2026-12-21"),
        ("weekly", "2026-12-24", "2026-12-21"),
        ("weekly", "2026-12-26", None),
        ("weekly", "2026-12-28", None),
        ("weekly", "2026-12-29", "2026-12-28"),
        ("monthly", "2026-12-01", "2026-12-01"),
        ("monthly", "2026-12-31", "2026-12-01"),
        ("monthly", "2027-01-01", None),
        ("monthly", "2027-01-03", None),
        ("monthly", "2027-01-04", "2027-01-01"),
    ],
)
def test_the_period_that_is_due(schedule, today, period):
    found = period_due(schedule, date.fromisoformat(today), HOLIDAYS)

    assert found == (date.fromisoformat(period) if period else None)


@pytest.mark.parametrize(
    ("schedule", "today", "next_day"),
    [
        ("daily", "2026-12-24", "2026-12-29"),
        ("weekly", "2026-12-21", "2026-12-29"),  # the Monday is a holiday
        ("weekly", "2026-12-20", "2026-12-21"),
        ("monthly", "2026-12-31", "2027-01-04"),
        ("monthly", "2026-12-01", "2027-01-04"),
        ("monthly", "2027-02-28", "2027-03-01"),
    ],
)
def test_the_day_of_the_next_payout(schedule, today, next_day):
    found = next_payout_day(schedule, date.fromisoformat(today), HOLIDAYS)

    assert found == date.fromisoformat(next_day)


def test_the_holidays_that_come_with_the_service():
    holidays = import_module("payouts.migrations.0002_bank_holidays").holidays_of(2027)

    assert {day.isoformat(): name for day, name in holidays.items()} == {
        "2027-01-01": "New Year's Day",
        "2027-01-11": "Majority Rule Day",
        "2027-03-26": "Good Friday",
        "2027-03-29": "Easter Monday",
        "2027-05-17": "Whit Monday",
        "2027-06-04": "Randol Fawkes Labour Day",
        "2027-07-12": "Independence Day",
        "2027-08-02": "Emancipation Day",
        "2027-10-11": "National Heroes Day",
        "2027-12-27": "Christmas Day",
        "2027-12-28": "Boxing Day",
    }
