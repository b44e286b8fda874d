"""An account's movements in a period, read by index, however many there are in all."""

from collections.abc import Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce

from ledger.models import Account, Transfer, exact_balance


class Line(NamedTuple):
    """A transfer as one of its accounts sees it: `amount` is negative for a debit, in cents."""

    created_at: datetime
    id: int
    kind: str
    reference: str
    transaction_id: str
    description: str
    amount: int


_NAMES = Line._fields[:-1]


class PeriodSums(NamedTuple):
    """The sum and number of an account's transfers in a period, and the balance at its end."""

    amount: int
    lines_count: int
    closing_amount: int


def lines_between(
    account: Account, *, start_at: datetime, end_at: datetime, after_id: int, limit: int
) -> list[Line]:
    """Return the first lines from `start_at` on and before `end_at`, in order of time and id.

    Of those at exactly `start_at`, only the ones after `after_id`.
    """
    later = Q(created_at__gt=start_at) | Q(id__gt=after_id)
    sides = [
        rows.filter(later).order_by("created_at", "id").values_list(*_NAMES, amount)[:limit]
        for rows, amount in _sides(account, start_at, end_at)
    ]
    return [Line(*row) for row in islice(merge(*sides), limit)]


def sums_between(account: Account, *, start_at: datetime, end_at: datetime) -> PeriodSums:
    """Return the sums of a period and the balance at its end, as of one instant: one statement.

    The closing balance is the present one less what has moved since.
    """
    since = [_summed(rows, signed, end_at) for rows, signed in _sides(account, start_at, None)]
    present = Account.objects.filter(pk=account.pk).annotate(exact=exact_balance())
    rows = present.values_list(Value(0), Value(0), "exact").union(*since, all=True)
    return PeriodSums(*(int(sum(column)) for column in zip(*rows, strict=True)))


def count_since(account: Account, start_at: datetime, *, most: int) -> int:
    """Count the transfers from `start_at` on, stopping at `most` on each side."""
    return sum(len(rows.values_list("pk")[:most]) for rows, _ in _sides(account, start_at, None))


def _sides(
    account: Account, start_at: datetime, end_at: datetime | None
) -> Sequence[tuple[QuerySet[Transfer], Any]]:
    rows = Transfer.objects.filter(created_at__gte=start_at).order_by()
    rows = rows if end_at is None else rows.filter(created_at__lt=end_at)
    return (
        (rows.filter(credit_account=account), F("amount")),
        (rows.filter(debit_account=account), -F("amount")),
    )


def _summed(rows: QuerySet[Transfer], signed: Any, end_at: datetime) -> QuerySet[Any, Any]:
    """Return one row: sum and number before `end_at`, and the negated sum of what came since."""
    before, since = Q(created_at__lt=end_at), Q(created_at__gte=end_at)
    return (
        rows.values("livemode")
        .annotate(
            total=Coalesce(Sum(signed, filter=before), 0),
            count=Count("pk", filter=before),
            later=-Coalesce(Sum(signed, filter=since), 0),
        )
        .values_list("total", "count", "later")
    )
