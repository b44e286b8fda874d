"""Compare the ledger's bank account with the bank's bookings: the difference must be zero.

The ledger's account counts what has left, less what came back, and so do the bank's statements.
Any difference consists of payouts that only one of the two knows about, and of entries that wait
for a person. Payouts from before the first statement are ignored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q, QuerySet, Sum

from payouts.bank.missing_statements import MissingStatement, missing_statements
from payouts.models import (
    BankEntry,
    BankEntryKind,
    BankSource,
    BankStatement,
    Payout,
)
from payouts.statuses import PayoutStatus


@dataclass(frozen=True)
class OpenPart:
    """One part of the difference: the number of items, their total, the oldest date and the rows.

    `rows` starts with the oldest.
    """

    words: str
    count: int
    amount: int
    oldest: datetime | None
    rows: QuerySet[Any]


@dataclass(frozen=True)
class BankPosition:
    """The difference in one currency, in cents: what our ledger says has left, less bookings.

    `missing` lists the gaps between the statements that we have read.
    """

    currency: str
    difference: int
    parts: list[OpenPart]
    missing: list[MissingStatement]

    @property
    def oldest(self) -> datetime | None:
        """Return since when its oldest part has been open; None if there is no difference."""
        dates = [part.oldest for part in self.parts if part.oldest and self.difference]
        return min(dates, default=None)


def positions(*, livemode: bool) -> list[BankPosition]:
    """Return the position in each currency for which the bank has sent a statement."""
    statements = BankStatement.objects.filter(livemode=livemode)
    first = statements.order_by("currency").values_list("currency").annotate(Min("start_at"))
    return [_position(livemode, currency, start) for currency, start in first]


def position_in(currency: str, *, livemode: bool) -> BankPosition | None:
    """Return the position in one currency; None before its first statement."""
    statements = BankStatement.objects.filter(livemode=livemode, currency=currency)
    start = statements.aggregate(start=Min("start_at"))["start"]
    return _position(livemode, currency, start) if start else None


def _position(livemode: bool, currency: str, start: datetime) -> BankPosition:
    parts = [part for part in _parts(livemode, currency, start) if part.count]
    return BankPosition(
        currency=currency,
        difference=sum(part.amount for part in parts),
        parts=parts,
        missing=missing_statements(currency, livemode=livemode),
    )


def _parts(livemode: bool, currency: str, start: datetime) -> Iterator[OpenPart]:
    payouts = Payout.objects.filter(livemode=livemode, currency=currency)
    unbooked = payouts.filter(status=PayoutStatus.PAID, booked_at=None, paid_at__gte=start)
    yield _part("paid, not booked yet", unbooked, "paid_at", 1)
    returned = payouts.filter(status=PayoutStatus.RETURNED)
    waiting = returned.filter(booked_at__isnull=False, return_booked_at=None)
    yield _part("returned, the return not booked yet", waiting, "returned_at", -1)
    early = returned.filter(booked_at=None, return_booked_at__isnull=False)
    early = early.filter(paid_at__gte=start)
    yield _part("return booked, the payout not yet", early, "returned_at", 1)
    refused = payouts.filter(status=PayoutStatus.FAILED)
    away = refused.filter(booked_at__isnull=False, return_booked_at=None)
    yield _part("refused but booked with its run, the return not booked yet", away, "failed_at", -1)
    back = refused.filter(booked_at=None, return_booked_at__isnull=False)
    yield _part("refused, the return booked but not the run", back, "failed_at", 1)
    entries = BankEntry.objects.unmatched().filter(
        livemode=livemode, currency=currency, source=BankSource.STATEMENT
    )
    debits = Q(kind=BankEntryKind.DEBIT)
    yield _part("booked, not matched yet", entries.filter(debits), "created_at", -1)
    yield _part("came in, not matched yet", entries.exclude(debits), "created_at", 1)


def _part(words: str, rows: QuerySet[Any], field: str, sign: int) -> OpenPart:
    sums = rows.aggregate(count=Count("pk"), amount=Sum("amount"), oldest=Min(field))
    amount, oldest = sign * int(sums["amount"] or 0), sums["oldest"]
    return OpenPart(words, sums["count"], amount, oldest, rows.order_by(field, "pk"))
