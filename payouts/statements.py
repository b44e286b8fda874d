"""Put each movement of a merchant's account into exactly one statement.

Gathering and closing lock the account: its debits wait, credits proceed. A credit that commits
meanwhile is not visible yet, and goes into the next statement. A transfer is known to be ungathered
by its lack of a line, not by its id: ids are assigned before commit, so a lower one may appear
after a higher one. The id to start reading from depends on what is committed, never on a clock:
see docs/decisions/0101.
"""

from datetime import datetime
from typing import NamedTuple, cast

from django.db import connection
from django.db.models import Subquery

from ledger.models import Account, Transfer, TransferKind
from payouts.models import Payout, Statement, StatementLine

BATCH = 2_000

_LINES = StatementLine._meta.db_table
_SIDE = """
    SELECT * FROM (
        SELECT id, {sign}amount AS change FROM {transfer}
        WHERE {side}_account_id = %(account)s AND id > %(after)s
        AND NOT EXISTS (SELECT 1 FROM {line} WHERE {line}.transfer_id = {transfer}.id)
        ORDER BY id LIMIT %(limit)s
    ) AS {side}s
"""
# Two ordered index scans in one SQL statement: it sees a payment and its fee, or neither.
_UNGATHERED = " UNION ALL ".join(
    _SIDE.format(side=side, sign=sign, transfer=Transfer._meta.db_table, line=_LINES)
    for side, sign in (("credit", ""), ("debit", "-"))
)
# The snapshot of the SQL statement: all transactions below the first number have ended, and none
# from the second on has begun. SQLite has a single writer: the one that gathers.
_HORIZONS = {
    "postgresql": "pg_snapshot_xmin(pg_current_snapshot())::text::bigint,"
    " pg_snapshot_xmax(pg_current_snapshot())::text::bigint",
    "sqlite": "0, 0",
}
_ADD = f"""
    INSERT INTO {_LINES} (transfer_id, statement_id, amount)
    SELECT id, %(statement)s, change FROM ({_UNGATHERED}) AS found ORDER BY id LIMIT %(limit)s
    RETURNING transfer_id, amount, {{horizons}}
"""  # noqa: S608  # our own names
_FIRST = f"SELECT id, change FROM ({_UNGATHERED}) AS found ORDER BY id LIMIT %(limit)s"  # noqa: S608
_WAITING = f"SELECT COUNT(*) FROM ({_UNGATHERED}) AS found"  # noqa: S608  # our own names


class _Added(NamedTuple):
    """A line that was written, and the horizons of the statement that found its transfer."""

    pk: int
    amount: int
    ended_before: int
    begun_before: int


_GATHERED = (
    *("gathered_through", "horizon_transfer", "horizon_transaction"),
    *("movements_amount", "movements_count"),
)


def open_statement(account: Account) -> Statement:
    """Return the open statement. The account must be locked."""
    found = Statement.objects.filter(account=account, closed_at=None).first()
    if found is not None:
        return found
    last = Statement.objects.filter(account=account).order_by("-number").first()
    if last is None:
        return Statement.objects.create(account=account, number=1, opening_amount=0)
    return Statement.objects.create(
        account=account,
        number=last.number + 1,
        opening_amount=cast("int", last.closing_amount),
        gathered_through=last.gathered_through,
        horizon_transfer=last.horizon_transfer,
        horizon_transaction=last.horizon_transaction,
    )


def has_full_batch(account: Account) -> bool:
    """Return whether a batch of movements or more is in no statement yet. Needs no lock."""
    [(count,)] = _read_ungathered(_WAITING, account.pk)
    return count >= BATCH


def lines_to_gather(account_id: int) -> list[StatementLine]:
    """Return what gathering would add first, a batch at most, as lines that are not saved.

    They have no statement yet. Needs no lock.
    """
    changes = _read_ungathered(_FIRST, account_id)
    transfers = Transfer.objects.in_bulk([pk for pk, _ in changes])
    return [StatementLine(transfer=transfers[pk], amount=amount) for pk, amount in changes]


def gather(statement: Statement) -> int:
    """Add every visible movement that is not in a statement yet; return how many.

    The account must be locked.
    """
    after, gathered, first = statement.gathered_through, 0, None
    while batch := _add(statement, after=after):
        first, last = first or batch[0], batch[-1]
        after = last.pk
        gathered += len(batch)
    if first is not None:
        # Use the snapshot of the first read, as later reads only look at higher ids.
        _move_on(statement, ended_before=first.ended_before, last=last, is_all=True)
        statement.save(update_fields=_GATHERED)
    return gathered


def gather_batch(statement: Statement) -> int:
    """Add the first batch of movements that are not in a statement yet; return how many.

    The account must be locked.
    """
    batch = _add(statement, after=statement.gathered_through)
    if batch:
        last, is_all = batch[-1], len(batch) < BATCH
        _move_on(statement, ended_before=last.ended_before, last=last, is_all=is_all)
        statement.save(update_fields=_GATHERED)
    return len(batch)


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


def movements_of(payout: Payout, *, offset: int = 0, limit: int) -> list[Transfer]:
    """Return some of the movements that make up a payout, without the payout itself.

    The last posted come first, as in the index of lines: none of the others is read.
    """
    own = Transfer.objects.filter(kind=TransferKind.PAYOUT, reference=payout.id).values("pk")
    lines = StatementLine.objects.filter(statement=payout.statement_id).exclude(pk=Subquery(own))
    keys = lines.order_by("-pk").values("pk")[offset : offset + limit]
    found = Transfer.objects.filter(pk__in=keys).select_related("statement_line")
    return list(found.order_by("-pk"))


def _read_ungathered(sql: str, account_id: int) -> list[tuple[int, ...]]:
    last = Statement.objects.filter(account=account_id).order_by("-number").first()
    after = last.gathered_through if last else 0
    with connection.cursor() as cursor:
        cursor.execute(sql, {"account": account_id, "after": after, "limit": BATCH})
        return [tuple(map(int, row)) for row in cursor.fetchall()]


def _add(statement: Statement, *, after: int) -> list[_Added]:
    """Write lines for the first movements after this id that have none; return them."""
    places = {"statement": statement.pk, "account": statement.account_id}
    places |= {"after": after, "limit": BATCH}
    with connection.cursor() as cursor:
        cursor.execute(_ADD.format(horizons=_HORIZONS[connection.vendor]), places)
        added = sorted(_Added(*row) for row in cursor.fetchall())
    statement.movements_amount += sum(line.amount for line in added)
    statement.movements_count += len(added)
    return added


def _move_on(statement: Statement, *, ended_before: int, last: _Added, is_all: bool) -> None:
    """Record the id that the next read has to start from.

    A transaction that holds an id below `last` and has not committed already has its number, as
    posting locks or changes an account before it takes an id. Once all transactions numbered by
    then have ended, nothing below `last` can appear any more.
    """
    horizon, number = statement.horizon_transfer, statement.horizon_transaction
    if horizon is not None and number is not None:
        if ended_before < number <= last.begun_before:
            return
        if number <= ended_before:
            through = horizon if is_all else min(horizon, last.pk)
            statement.gathered_through = max(statement.gathered_through, through)
    statement.horizon_transfer, statement.horizon_transaction = last.pk, last.begun_before
