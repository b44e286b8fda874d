"""Explain a difference by movements of a statement, alone or in pairs. Pure functions.

A merchant who expected more asks about the difference. The lines of one transaction also count
together: a refund with the fee that came back, a payment with its fee. So do two lines or two
transactions: a shop adds up its refunds as it made them, without the fees that came back.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

MOST_FOUND = 10


@dataclass(frozen=True)
class ExplainedLine:
    """A line of a statement. `amount` is in cents, negative for a debit."""

    transfer_id: int
    transaction_id: str
    amount: int


_Group = tuple[ExplainedLine, ...]


def explain(movements: Sequence[ExplainedLine], amount: int) -> list[_Group]:
    """Return movements and transactions, alone or in pairs, that sum to the amount.

    Those alone come first, then the pairs; of each, sums of the negated amount come before sums of
    the amount itself. At most ten, without duplicates.
    """
    found = dict.fromkeys(islice(_findings(movements, amount), MOST_FOUND))
    return list(found)


def newest_first(found: Iterable[_Group], amount: int) -> list[_Group]:
    """Return what `explain` found for this amount in the same order, but newest first within it."""
    groups = [tuple(sorted(group, key=_age)) for group in found]

    def rank(group: _Group) -> tuple[bool, bool, bool, int]:
        is_pair = len({each.transaction_id for each in group}) > 1
        return is_pair, _sum(group) != -amount, len(group) > 1, _age(group[0])

    return sorted(groups, key=rank)


def _age(line: ExplainedLine) -> int:
    """Return what rises with the age of a line."""
    return -line.transfer_id


def _findings(movements: Sequence[ExplainedLine], amount: int) -> Iterator[_Group]:
    lines: list[_Group] = [(each,) for each in movements]
    groups = _by_transaction(movements)
    for wanted in (-amount, amount):
        yield from (line for line in lines if _sum(line) == wanted)
        yield from (group for group in groups if len(group) > 1 and _sum(group) == wanted)
    for wanted in (-amount, amount):
        yield from _pairs(lines, wanted)
        yield from _pairs(groups, wanted)


def _pairs(groups: Sequence[_Group], wanted: int) -> Iterator[_Group]:
    """Yield pairs, both debits or both credits, that sum to `wanted`."""
    first: dict[int, _Group] = {}
    for group in groups:
        total = _sum(group)
        if total * wanted <= 0:
            continue
        other = first.get(wanted - total)
        if other is not None:
            yield (*other, *group)
        first.setdefault(total, group)


def _by_transaction(movements: Iterable[ExplainedLine]) -> list[_Group]:
    groups: dict[str, list[ExplainedLine]] = defaultdict(list)
    for each in movements:
        groups[each.transaction_id].append(each)
    return [tuple(group) for group in groups.values()]


def _sum(group: Iterable[ExplainedLine]) -> int:
    return sum(each.amount for each in group)
