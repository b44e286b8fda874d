"""Figures for the dashboard: finished days, and finished parts of today, are counted once."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, QuerySet, Sum

from backoffice.interval_figures import (
    ENDINGS,
    CountedIntervals,
    count_delivered,
    count_ended,
    currencies_ended,
)
from backoffice.models import DayFigures
from core.among import Among
from core.instants import today_in
from ledger.models import Account, Purpose, Transfer
from payments.verification import Verification, required_for_amount
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

DAYS_SHOWN = 30
DAYS_COUNTED_AGAIN = 2
FAILED_COUNTED = 1_000
FEES_ADDED_UP = 500_000
ACCOUNTS_AT_ONCE = 500


@dataclass(frozen=True)
class PeriodTotals:
    """What ended in a period: the count of each outcome, and the amount paid.

    `proofs` counts what was paid by the proof that its amount required.
    """

    counts: Mapping[str, int]
    amount: int
    proofs: Mapping[Verification, int] = field(default_factory=dict)

    @property
    def completed(self) -> int:
        return self.counts["completed"]

    @property
    def ended(self) -> int:
        return sum(self.counts.values())

    @property
    def unpaid(self) -> dict[str, int]:
        """How many ended in each way but paid, without those that none ended in."""
        return {name: count for name, count in self.counts.items() if count and name != "completed"}

    @property
    def success_percent(self) -> int | None:
        """The share that was paid, rounded down, so that 100 means all. None if none ended."""
        return self.completed * 100 // self.ended if self.ended else None


@dataclass(frozen=True)
class WebhookHealth:
    """How many deliveries arrived, and how many were given up, up to a number: then there are more.

    One that is repeated counts each time that it arrives.
    """

    arrived: int
    failed: int
    has_more_failed: bool


def totals_between(
    *, livemode: bool, currency: str, start: datetime, end: datetime
) -> PeriodTotals:
    """Count what ended from `start` on and before `end`, without what is counted already."""
    counted = CountedIntervals.within(start, end, livemode=livemode, currency=currency)
    sums = Counter(counted.sums)
    for since, until in counted.rest:
        sums.update(count_ended(livemode=livemode, currency=currency, start=since, end=until))
    proofs = {
        required_for_amount(1): sums["none_count"],
        required_for_amount(settings.PIN_ABOVE + 1): sums["pin_count"],
        required_for_amount(settings.PASSKEY_ABOVE + 1): sums["passkey_count"],
    }
    counts = {name: sums[f"{name}_count"] for name in ENDINGS}
    return PeriodTotals(counts, sums["completed_amount"], proofs)


def webhook_health(*, livemode: bool, start: datetime, end: datetime) -> WebhookHealth:
    """Return how many deliveries have succeeded and were given up from `start` on, before `end`."""
    counted = CountedIntervals.within(start, end, livemode=livemode)
    arrived = counted.sums["delivered_count"] + sum(
        count_delivered(livemode=livemode, start=since, end=until) for since, until in counted.rest
    )
    given_up = Delivery.objects.filter(status=DeliveryStatus.FAILED, webhook__livemode=livemode)
    # These are counted anew: a recovery changes that they failed.
    failed = given_up.filter(ended_at__gte=start)[: FAILED_COUNTED + 1].count()
    return WebhookHealth(arrived, min(failed, FAILED_COUNTED), failed > FAILED_COUNTED)


def balances_of_all(*, livemode: bool, currency: str) -> dict[str, int]:
    """Return whose money the service holds, as of the last seal.

    There are too many wallets to add up. The sum over all accounts is zero, so the wallets hold
    what no one else does.
    """
    others = Account.objects.filter(livemode=livemode, currency=currency)
    sums: dict[str, int] = dict(
        others.exclude(purpose=Purpose.WALLET)
        .order_by()
        .values_list("purpose")
        .annotate(total=Sum("balance"))
    )
    return {Purpose.WALLET: -sum(sums.values()), **sums}


class Fees(NamedTuple):
    """What all merchants were charged, and what was returned to them with refunds, in cents."""

    charged: int
    returned: int


def fees_between(*, livemode: bool, start: datetime, end: datetime) -> dict[str, Fees] | None:
    """Add up the fees of all merchants from `start` on and before `end`, by the ledger.

    Returns them by currency. Each account has an index of its movements by time. None if there are
    more charges or returns than `FEES_ADDED_UP`: they would take too long.
    """
    accounts = defaultdict(list)
    fees = Account.objects.filter(purpose=Purpose.FEES, livemode=livemode)
    for pk, code in fees.order_by("currency", "pk").values_list("pk", "currency"):
        accounts[code].append(pk)
    moved = Transfer.objects.filter(created_at__gte=start, created_at__lt=end).order_by()
    charged = _sums_of(moved, F("credit_account_id"), accounts)
    returned = _sums_of(moved, F("debit_account_id"), accounts)
    if charged is None or returned is None:
        return None
    return {code: Fees(charged[code], returned[code]) for code in accounts}


def _sums_of(
    moved: QuerySet[Transfer], account: F, accounts: Mapping[str, Sequence[int]]
) -> dict[str, int] | None:
    """Add up what moved at the accounts of each currency, some at a time; None if it is too much.

    At all of them at once PostgreSQL would read the ledger from end to end instead.
    """
    count, sums = 0, dict.fromkeys(accounts, 0)
    for code, theirs in accounts.items():
        for first in range(0, len(theirs), ACCOUNTS_AT_ONCE):
            some = theirs[first : first + ACCOUNTS_AT_ONCE]
            rows = moved.filter(Among(account, some))[: FEES_ADDED_UP + 1 - count]
            found = rows.aggregate(count=Count("pk"), total=Sum("amount"))
            count, sums[code] = count + found["count"], sums[code] + int(found["total"] or 0)
            if count > FEES_ADDED_UP:
                return None
    return sums


def is_usual_day(day: date) -> bool:
    """Return whether payments may exist on a day, and the calendar has a day after it."""
    return 2000 <= day.year < 9999


def day_start(day: date) -> datetime:
    """Return the first moment of a day in the time zone of staff."""
    return datetime.combine(day, time.min, tzinfo=ZoneInfo(settings.STAFF_TIME_ZONE))


def days_before(today: date, *, livemode: bool) -> dict[str, dict[date, PeriodTotals]]:
    """Return the finished days of the chart by currency, without days on which nothing ended."""
    first = today - timedelta(days=DAYS_SHOWN - 1)
    days: dict[str, dict[date, PeriodTotals]] = {}
    for row in DayFigures.objects.filter(livemode=livemode, day__gte=first, day__lt=today):
        counts = {name: getattr(row, f"{name}_count") for name in ENDINGS}
        days.setdefault(row.currency, {})[row.day] = PeriodTotals(counts, row.completed_amount)
    return days


def count_finished_days(*, now: datetime) -> int:
    """Count the finished days of the last weeks that are not counted yet; return how many.

    The last two are counted again each time, as a payment may commit just after midnight.
    """
    today = today_in(settings.STAFF_TIME_ZONE, now)
    known = set(DayFigures.objects.filter(day__lt=today).values_list("day", flat=True).distinct())
    counted = 0
    for back in range(1, DAYS_SHOWN):
        day = today - timedelta(days=back)
        if back <= DAYS_COUNTED_AGAIN or day not in known:
            _count_day(day)
            counted += 1
    return counted


@transaction.atomic
def _count_day(day: date) -> None:
    start, end = day_start(day), day_start(day + timedelta(days=1))
    for livemode in (False, True):
        for currency in currencies_ended(livemode=livemode):
            kind: dict[str, Any] = {"livemode": livemode, "currency": currency}
            totals = totals_between(**kind, start=start, end=end)
            if totals.ended:
                values = {f"{name}_count": count for name, count in totals.counts.items()}
                values["completed_amount"] = totals.amount
                DayFigures.objects.update_or_create(day=day, **kind, defaults=values)
