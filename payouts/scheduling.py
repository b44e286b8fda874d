"""Pay out by schedule: each merchant's day, week or month once, in its own time zone.

A run covers every open bank account whose merchant's period is due and not scheduled yet. Runs
may overlap: both wait for the same row, and the second finds the period already scheduled.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from core.clock import clock_from
from core.instants import start_of_day, today_in
from core.sweeping import sweep
from ledger.errors import InsufficientBalance
from merchants.models import Merchant
from merchants.standing import may_act
from merchants.statuses import MerchantStatus
from payouts.business_days import BusinessDays
from payouts.gathering import gather_before_payout
from payouts.models import BankAccount, Payout, PayoutOrigin, SettledPeriod
from payouts.periods import SCHEDULED, first_day_of_period, next_payout_day, period_due
from payouts.services import schedule_payout
from payouts.statuses import PayoutStatus

BATCH = 500
ACTOR = "system:payouts.schedule"
FURTHEST_AHEAD = timedelta(days=1)  # the earliest time zone is at most a day ahead of UTC


class Due(NamedTuple):
    """A bank account, the first day of the period to pay out to it, and the day it is due on."""

    bank_account: BankAccount
    period: date
    day: date

    def __str__(self) -> str:
        return f"{self.bank_account.pk} {self.period}"


class NextPayout(NamedTuple):
    """When the schedule pays out to a bank account next, and when the bank should have it."""

    bank_account: BankAccount
    send_date: date
    arrival_date: date


def schedule_due(*, now: datetime) -> int:
    """Schedule the payouts whose period is due; return how many this call scheduled."""
    clock = clock_from(now)

    def schedule(due: Due) -> bool:
        account = due.bank_account
        gather_before_payout(
            merchant_id=account.merchant_id, livemode=account.livemode, currency=account.currency
        )
        made = schedule_period(bank_account=account, period=due.period, day=due.day, now=clock())
        return made is not None

    bring_forward(now=now)
    return sweep("schedule payouts", schedule, _due(now))


@transaction.atomic
def schedule_period(
    *, bank_account: BankAccount, period: date, day: date, now: datetime
) -> Payout | None:
    """Pay out one merchant's balance for a period, on a day of it, once.

    None if done already or too little. The day is recorded, not the first one of the period: with
    another schedule a shorter period may begin between the two. A day recorded in the future, by a
    clock that was wrong, does not count. If the merchant is no longer to be paid out, once it is
    locked, its period is left to a later run.
    """
    merchant = Merchant.objects.locked(bank_account.merchant_id)
    if not _is_paid_out(merchant, livemode=bank_account.livemode):
        return None
    settled, _ = SettledPeriod.objects.get_or_create(
        merchant=merchant,
        livemode=bank_account.livemode,
        currency=bank_account.currency,
        defaults={"first_day": date.min},
    )
    if period <= settled.first_day <= _latest(now):
        return None
    settled.first_day = day
    settled.save(update_fields=["first_day"])
    try:
        with transaction.atomic():
            return schedule_payout(
                merchant=merchant,
                livemode=bank_account.livemode,
                currency=bank_account.currency,
                amount=None,
                origin=PayoutOrigin.SCHEDULE,
                actor=ACTOR,
                now=now,
            )
    except InsufficientBalance:
        return None


def _is_paid_out(merchant: Merchant, *, livemode: bool) -> bool:
    """Return whether `_unscheduled` would select a merchant, as it is now."""
    return may_act(merchant, livemode=livemode) and merchant.payout_schedule in SCHEDULED


def next_payouts(merchant: Merchant, *, livemode: bool, now: datetime) -> Iterator[NextPayout]:
    """Yield the next scheduled payout to each open account, by currency.

    It leaves today, or on the next business day, if its period is due and not scheduled yet.
    """
    open_ones = BankAccount.objects.open().filter(merchant=merchant, livemode=livemode)
    accounts, schedule = list(open_ones.order_by("currency")), merchant.payout_schedule
    if not accounts or not _is_paid_out(merchant, livemode=livemode):
        return
    days = BusinessDays.load()
    first = days.on_or_after(today_in(merchant.time_zone, now))
    period, later = first_day_of_period(schedule, first), next_payout_day(schedule, first, days)
    unscheduled = _unscheduled(schedule, merchant.time_zone, period, _latest(now))
    due = unscheduled.filter(pk__in=[account.pk for account in accounts])
    for account in accounts:
        send_date = first if account in due else later
        yield NextPayout(account, send_date, days.after(send_date))


def bring_forward(*, now: datetime) -> int:
    """Reschedule payouts that a wrong clock dated too far ahead to leave with the next run.

    Returns how many.
    """
    days = BusinessDays.load()
    ahead = Payout.objects.filter(
        status=PayoutStatus.SCHEDULED, send_date__gt=days.on_or_after(_latest(now))
    )

    def one(payout_id: str) -> bool:
        with transaction.atomic():
            payout = (
                ahead.select_related("merchant")
                .select_for_update(no_key=True, of=("self",))
                .filter(pk=payout_id)
                .first()
            )
            if payout is None:
                return False
            payout.send_date = days.on_or_after(today_in(payout.merchant.time_zone, now))
            payout.arrival_date = days.after(payout.send_date)
            payout.updated_at = now
            payout.save(update_fields=["send_date", "arrival_date", "updated_at"])
        return True

    keys = list(ahead.order_by("pk").values_list("pk", flat=True))
    return sweep("bring payouts forward", one, keys)


def _due(now: datetime) -> Iterator[Due]:
    """Yield what is due, in live mode first: anyone can open many accounts in test mode."""
    days = BusinessDays.load()
    for livemode, schedule, time_zone in _calendars():
        today = today_in(time_zone, now)
        period = period_due(schedule, today, days)
        if period is not None:
            unscheduled = _unscheduled(schedule, time_zone, period, _latest(now))
            of_mode = unscheduled.filter(livemode=livemode)
            for bank_account in of_mode.order_by("pk")[:BATCH]:
                yield Due(bank_account, period, today)


def _calendars() -> list[tuple[bool, str, str]]:
    owners = BankAccount.objects.open().filter(merchant__payout_schedule__in=SCHEDULED)
    calendar = ("merchant__payout_schedule", "merchant__time_zone")
    found = owners.order_by("-livemode", *calendar).values_list("livemode", *calendar)
    return list(found.distinct())


def _latest(now: datetime) -> date:
    """Return the latest date that it can be now in any time zone."""
    return (now + FURTHEST_AHEAD).date()


def _unscheduled(
    schedule: str, time_zone: str, period: date, latest: date
) -> QuerySet[BankAccount]:
    """Return the accounts to pay now. A merchant's first period starts after it registered."""
    served = SettledPeriod.objects.filter(
        merchant=OuterRef("merchant"),
        livemode=OuterRef("livemode"),
        currency=OuterRef("currency"),
        first_day__range=(period, latest),
    )
    owners = BankAccount.objects.open().filter(
        ~Exists(served),
        merchant__payout_schedule=schedule,
        merchant__time_zone=time_zone,
        merchant__created_at__lt=start_of_day(period, time_zone),
    )
    if settings.REQUIRE_VERIFIED_MERCHANTS:
        owners = owners.filter(Q(livemode=False) | Q(merchant__status=MerchantStatus.VERIFIED))
    return owners.exclude(merchant__status=MerchantStatus.SUSPENDED)
