"""Put each movement of a merchant's account into exactly one statement.

Gathering and closing lock the account: debits of it wait, credits go on. A credit that commits
meanwhile is not seen yet, and goes into the next statement. Which transfers are still to be
gathered is found by the lack of a line, not by their ids: ids are given out before they commit, so
a lower one may turn up after a higher one.
"""

from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from ledger.models import Account, Transfer, TransferKind
from payouts.models import Payout, Statement, StatementLine

BATCH = 2_000

# No transaction lives nearly as long: the database ends it after seconds.
MAX_TRANSACTION_DURATION = timedelta(hours=1)

_SIDE = """
    SELECT * FROM (
        SELECT * FROM {transfer} WHERE {side}_account_id = %(account)s AND id > %(after)s
        AND NOT EXISTS (SELECT 1 FROM {line} WHERE {line}.transfer_id = {transfer}.id)
        ORDER BY id LIMIT %(limit)s
    ) AS {side}s
"""
# Two ordered reads of an index, in one statement: it sees a payment and its fee, or neither.
_UNGATHERED = " UNION ALL ".join(
    _SIDE.format(side=side, transfer=Transfer._meta.db_table, line=StatementLine._meta.db_table)
    for side in ("credit", "debit")
)


def open_statement(account: Account) -> Statement:
    """Return the open statement. The account must be locked."""
    found = Statement.objects.filter(account=account, closed_at=None).first()
    if found is not None:
        return found
    last = Statement.objects.filter(account=account).order_by("-number").first()
    return Statement.objects.create(
        account=account,
        number=last.number + 1 if last else 1,
        opening_amount=last.closing_amount if last and last.closing_amount else 0,
        gathered_through=last.gathered_through if last else 0,
    )


def gather(statement: Statement, *, now: datetime) -> int:
    """Add every visible movement that is in no statement; return how many.

    The account must be locked.
    """
    after, gathered = statement.gathered_through, 0
    while batch := gather_batch(statement, after=after, now=now):
        after = batch[-1].pk
        gathered += len(batch)
    return gathered


def gather_batch(statement: Statement, *, after: int, now: datetime) -> list[Transfer]:
    """Add the first movements after this id that are in no statement; return them.

    The account must be locked.
    """
    transfers = _ungathered(statement, after=after)
    lines = [
        StatementLine(transfer=transfer, statement=statement, amount=_signed(transfer, statement))
        for transfer in transfers
    ]
    StatementLine.objects.bulk_create(lines)
    old = [
        transfer.pk
        for transfer in transfers
        if transfer.created_at < now - MAX_TRANSACTION_DURATION
    ]
    statement.gathered_through = max([statement.gathered_through, *old])
    statement.movements_amount += sum(line.amount for line in lines)
    statement.movements_count += len(lines)
    statement.save(update_fields=["gathered_through", "movements_amount", "movements_count"])
    return transfers


def available_in(statement: Statement) -> int:
    """Return what could be paid out of a gathered statement, in cents."""
    return statement.opening_amount + statement.movements_amount


def close(statement: Statement, payout: Payout, *, now: datetime) -> None:
    """Close the statement with the payout, whose transfer has been posted, as its last line."""
    transfer = Transfer.objects.get(kind=TransferKind.PAYOUT, reference=payout.id)
    StatementLine.objects.create(transfer=transfer, statement=statement, amount=-payout.amount)
    statement.payout_amount = payout.amount
    statement.closing_amount = available_in(statement) - payout.amount
    statement.closed_at = now
    statement.save(force_update=True)


def movements_of(payout: Payout) -> QuerySet[Transfer]:
    """Return the movements that make up a payout, without the payout itself."""
    lines = Transfer.objects.filter(statement_line__statement=payout.statement_id)
    own = Q(kind=TransferKind.PAYOUT, reference=payout.id)
    return lines.exclude(own).select_related("statement_line")


def _ungathered(statement: Statement, *, after: int) -> list[Transfer]:
    places = {"account": statement.account_id, "after": after, "limit": BATCH}
    rows = Transfer.objects.raw(f"{_UNGATHERED} ORDER BY id LIMIT %(limit)s", places)
    return list(rows)


def _signed(transfer: Transfer, statement: Statement) -> int:
    credited = transfer.credit_account_id == statement.account_id
    return transfer.amount if credited else -transfer.amount
