"""Which day, week or month a schedule pays out: pure, no clock and no database."""

from datetime import date, timedelta

from merchants.models import PayoutSchedule
from payouts.business_days import BusinessDays

SCHEDULED = frozenset(
    {PayoutSchedule.DAILY.value, PayoutSchedule.WEEKLY.value, PayoutSchedule.MONTHLY.value}
)


def period_due(schedule: str, today: date, days: BusinessDays) -> date | None:
    """Return the first day of the period that is due for payout today.

    None on weekends and bank holidays: a payout due then waits for the next business day.
    """
    if schedule not in SCHEDULED or not days.includes(today):
        return None
    if schedule == PayoutSchedule.WEEKLY:
        return today - timedelta(days=today.weekday())
    if schedule == PayoutSchedule.MONTHLY:
        return today.replace(day=1)
    return today


def next_payout_day(schedule: str, today: date, days: BusinessDays) -> date | None:
    """Return the day after today on which the schedule pays out again; None where there is none."""
    if schedule not in SCHEDULED:
        return None
    begins = today + timedelta(days=1)
    if schedule == PayoutSchedule.WEEKLY:
        begins = today + timedelta(days=7 - today.weekday())
    if schedule == PayoutSchedule.MONTHLY:
        begins = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return days.on_or_after(begins)
