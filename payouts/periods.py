"""Which day, week or month a schedule of `SCHEDULED` pays out: no clock and no database."""

from datetime import date, timedelta

from merchants.models import PayoutSchedule
from payouts.business_days import BusinessDays

SCHEDULED = frozenset(
    {PayoutSchedule.DAILY.value, PayoutSchedule.WEEKLY.value, PayoutSchedule.MONTHLY.value}
)


def first_day_of_period(schedule: str, day: date) -> date:
    """Return the first day of the day, week or month, by the schedule, that a day is in."""
    if schedule == PayoutSchedule.WEEKLY:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if schedule == PayoutSchedule.MONTHLY else day


def period_due(schedule: str, today: date, days: BusinessDays) -> date | None:
    """Return the first day of the period that is due for payout today.

    None on weekends and bank holidays: a payout due then waits for the next business day.
    """
    return first_day_of_period(schedule, today) if days.includes(today) else None


def next_payout_day(schedule: str, today: date, days: BusinessDays) -> date:
    """Return the day after today on which the schedule pays out again."""
    begins = today + timedelta(days=1)
    if schedule == PayoutSchedule.WEEKLY:
        begins = today + timedelta(days=7 - today.weekday())
    if schedule == PayoutSchedule.MONTHLY:
        begins = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return days.on_or_after(begins)
