"""The composition of a payout: how the balance before it leads to the balance after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from django.core.cache import cache
from django.db.models import Count, QuerySet, Sum

from ledger.models import TransferKind
from payouts.account_statements import SUMS
from payouts.explaining import MOST_FOUND, ExplainedLine, explain
from payouts.models import Payout, StatementLine

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
    lines = _lines_of(payout).order_by("-transfer_id")
    values = lines.values_list("transfer_id", "transfer__transaction_id", "amount")[:MOST_READ]
    found = explain([ExplainedLine(*value) for value in values], amount)
    wanted = {each.transfer_id for group in found for each in group}
    rows = StatementLine.objects.select_related("transfer").in_bulk(wanted)
    return [[rows[each.transfer_id] for each in group] for group in found]


def lines_too_late_for(payout: Payout, amount: int) -> list[StatementLine]:
    """Return lines of this amount that came too late for a payout, from the next statement."""
    statement = payout.statement
    following = StatementLine.objects.filter(
        statement__account=statement.account_id, statement__number=statement.number + 1
    )
    first = following.order_by("transfer_id").values_list("transfer_id", "amount")[:MOST_READ]
    wanted = [pk for pk, value in first if value == amount][:MOST_FOUND]
    rows = StatementLine.objects.select_related("transfer").in_bulk(wanted)
    return [rows[pk] for pk in wanted]


def _parts_of(payout: Payout) -> dict[str, tuple[int, int]]:
    kinds = (
        _lines_of(payout)
        .order_by()
        .values_list("transfer__kind")
        .annotate(amount=Sum("amount"), count=Count("pk"))
    )
    parts = dict.fromkeys(SUMS.values(), (0, 0))
    for kind, amount, count in kinds:
        name = SUMS[TransferKind(kind)]
        parts[name] = (parts[name][0] + int(amount), parts[name][1] + count)
    return parts


def _lines_of(payout: Payout) -> QuerySet[StatementLine]:
    """Return the lines of a payout's statement, without the payout itself."""
    lines = StatementLine.objects.filter(statement=payout.statement_id)
    return lines.exclude(transfer__kind=TransferKind.PAYOUT)
