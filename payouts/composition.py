"""The composition of a payout: how the balance before it leads to the balance after it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.core.cache import cache
from django.db.models import Count, QuerySet, Sum

from ledger.models import TransferKind
from payouts.account_statements import SUMS
from payouts.explaining import ExplainedLine, explain, newest_first
from payouts.models import Payout, Statement, StatementLine
from payouts.statements import lines_to_gather

KEPT_SECONDS = 86_400  # a closed statement never changes
MOST_READ = 50_000


@dataclass(frozen=True)
class CompositionPart:
    """The movements of one kind: their number and sum in cents, negative for debits."""

    amount: int
    count: int


@dataclass(frozen=True)
class Composition:
    """How a payout adds up. `parts` has the sums of an account statement, by name."""

    opening_amount: int
    parts: Mapping[str, CompositionPart]
    payout_amount: int
    closing_amount: int


def composition_of(payout: Payout) -> Composition:
    """Return the composition of a payout, computed once and cached for a day."""
    statement = payout.statement
    key = f"payout-parts:{payout.pk}"
    parts = cache.get(key)
    if parts is None:
        parts = _parts_of(payout)
        cache.set(key, parts, KEPT_SECONDS)
    return Composition(
        opening_amount=statement.opening_amount,
        parts={name: CompositionPart(*sums) for name, sums in parts.items()},
        payout_amount=cast("int", statement.payout_amount),
        closing_amount=cast("int", statement.closing_amount),
    )


def explain_payout(payout: Payout, amount: int) -> list[list[StatementLine]]:
    """Return lines of a payout that, alone or together, sum to the amount in cents.

    Only the newest fifty thousand lines are searched.
    """
    movements = _movements(_lines_of(payout.statement_id).order_by("-transfer_id"))
    return _groups(explain(movements, amount), {})


def lines_too_late_for(payout: Payout, amount: int) -> list[list[StatementLine]]:
    """Return lines that came too late for a payout and that, alone or together, sum to the amount.

    They belong to the next statement. The oldest, which just missed the payout, are searched first;
    what is found is returned as `explain_payout` does, newest first. Most lines are gathered only
    by the next payout, and merchants ask before that: those not gathered yet are returned unsaved,
    without a statement.
    """
    account_id, number = payout.statement.account_id, payout.statement.number + 1
    following = Statement.objects.filter(account=account_id, number=number)
    is_closed = following.exclude(closed_at=None).exists()
    # Before the saved lines: what is gathered in between is then found twice, not missed.
    new = {} if is_closed else {line.pk: line for line in lines_to_gather(account_id)}
    known = _movements(_lines_of(following.values("pk")[:1]).order_by("transfer_id"))
    for each in known:
        new.pop(each.transfer_id, None)
    waiting = [
        ExplainedLine(pk, each.transfer.transaction_id, each.amount) for pk, each in new.items()
    ]
    return _groups(newest_first(explain([*known, *waiting], -amount), -amount), new)


def _movements(lines: QuerySet[StatementLine]) -> list[ExplainedLine]:
    values = lines.values_list("transfer_id", "transfer__transaction_id", "amount")[:MOST_READ]
    return [ExplainedLine(*value) for value in values]


def _groups(
    found: Iterable[Sequence[ExplainedLine]], new: Mapping[int, StatementLine]
) -> list[list[StatementLine]]:
    wanted = {each.transfer_id for group in found for each in group} - new.keys()
    rows = {**new, **StatementLine.objects.select_related("transfer").in_bulk(wanted)}
    return [[rows[each.transfer_id] for each in group] for group in found]


def _parts_of(payout: Payout) -> dict[str, tuple[int, int]]:
    kinds = (
        _lines_of(payout.statement_id)
        .order_by()
        .values_list("transfer__kind")
        .annotate(amount=Sum("amount"), count=Count("pk"))
    )
    parts = dict.fromkeys(SUMS.values(), (0, 0))
    for kind, amount, count in kinds:
        name = SUMS[TransferKind(kind)]
        parts[name] = (parts[name][0] + int(amount), parts[name][1] + count)
    return parts


def _lines_of(statement: Any) -> QuerySet[StatementLine]:
    """Return the lines of a statement (its id, or a subquery for it) without the payout itself."""
    lines = StatementLine.objects.filter(statement=statement)
    return lines.exclude(transfer__kind=TransferKind.PAYOUT)
