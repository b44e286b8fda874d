"""Find missing bank statements: a gap is one whose opening is not the previous closing."""

from dataclasses import dataclass
from datetime import datetime

from payouts.models import BankStatement

LOOKED_AT = 400  # of the newest: more than a year of daily ones


@dataclass(frozen=True)
class MissingStatement:
    """A gap between two statements: what the missing ones moved, in cents, and since when."""

    currency: str
    after: str
    before: str
    amount: int
    since: datetime


def missing_statements(currency: str, *, livemode: bool) -> list[MissingStatement]:
    """Return the gaps between the newest statements in one currency, oldest first.

    A page without its own balance continues from the previous page.
    """
    statements = BankStatement.objects.current().filter(livemode=livemode, currency=currency)
    newest = list(statements.order_by("-end_at", "-start_at", "-pk")[:LOOKED_AT])
    found: list[MissingStatement] = []
    held: int | None = None
    last: BankStatement | None = None
    for statement in reversed(newest):
        opening = statement.opening_amount
        if last and held is not None and opening is not None and held != opening:
            moved = opening - held
            gap = MissingStatement(currency, last.number, statement.number, moved, last.end_at)
            found.append(gap)
        held = _held_after(statement, held if opening is None else opening)
        last = statement
    return found


def _held_after(statement: BankStatement, opening: int | None) -> int | None:
    if statement.closing_amount is not None:
        return statement.closing_amount
    return None if opening is None else opening + statement.entries_amount
