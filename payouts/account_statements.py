"""Account statements for any period: one line per ledger transfer, sums equal to the ledger's.

A short one is made at once, a long one in the background, part by part. A transfer belongs to the
period of its `created_at`. A period is read a minute after its end, when all of it is committed,
and is closed from then on, by the database's clock: later postings fall into the next period.
"""

import math
import time
import zlib
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

import orjson
from django.db import transaction
from django.db.models import QuerySet

from core.clock import iso, not_before
from core.clock_check import capped_now
from core.errors import ValidationFailed
from core.ids import new_id
from core.json import dump_json
from core.sweeping import sweep
from ledger.history import Line, PeriodSums, count_since, lines_between, sums_between
from ledger.models import Account, Purpose, TransferKind
from ledger.services import close_period
from ledger.snapshot import snapshot
from merchants.callers import Caller
from payouts.errors import AccountStatementPending, AccountStatementsTooMany
from payouts.models import AccountStatement, AccountStatementPart

PART_LINES = 2_000
SETTLED_AFTER = timedelta(minutes=1)  # a transaction takes its timestamp shortly before it commits
MOST_PENDING = 10
TURN_SECONDS = 5
BATCH = 500

K = TransferKind
# The sum of the statement that each kind of transfer counts towards.
SUMS: dict[TransferKind, str] = {
    K.PAYMENT: "payments_amount",
    K.TIP: "payments_amount",
    K.FEE: "fees_amount",
    K.REFUND_FEE: "fees_amount",
    K.REFUND: "refunds_amount",
    K.TOP_UP: "adjustments_amount",
    K.ADJUSTMENT: "adjustments_amount",
    K.PAYOUT: "payouts_amount",
    K.PAYOUT_PAID: "payouts_amount",
    K.PAYOUT_RETURNED: "returned_payouts_amount",
    K.PAYOUT_REVERSED: "returned_payouts_amount",
}


@transaction.atomic
def request_statement(
    *, caller: Caller, currency: str, start_at: datetime, end_at: datetime, now: datetime
) -> AccountStatement:
    """Request a statement of [`start_at`, `end_at`) (`POST /v1/statements`).

    A short one is ready at once if the database's trusted clock is past its end.

    Raises ValidationFailed for a period that is empty or not over, AccountStatementsTooMany if
    too many are still being made.
    """
    if end_at <= start_at:
        raise ValidationFailed(end_at="must be after start_at")
    if end_at > now:
        raise ValidationFailed(end_at="must not lie in the future")
    pending = AccountStatement.objects.visible_to(caller).filter(ready_at=None)
    ends = pending.values_list("end_at", flat=True)[:MOST_PENDING]
    if len(ends) == MOST_PENDING:
        raise AccountStatementsTooMany(_seconds_to_wait(min(ends), now))
    statement = AccountStatement.objects.create(
        id=new_id("stm", now),
        merchant=caller.owner,
        livemode=caller.livemode,
        currency=currency,
        start_at=start_at,
        end_at=end_at,
        read_at=start_at,
        created_at=now,
    )
    account = _account_of(statement)
    if end_at <= min(now, capped_now()) - SETTLED_AFTER and _is_short(account, start_at):
        _copy_part(statement, account)
        _close(statement, _sums_of(statement, account), now=now)
    return statement


def same_statement(
    *, caller: Caller, currency: str, start_at: datetime, end_at: datetime, since: datetime
) -> AccountStatement | None:
    """Return the newest statement with the movements of [`start_at`, `end_at`), if there is one.

    It may end earlier, but after `since`, if nothing was posted after its end.
    """
    made = AccountStatement.objects.visible_to(caller).filter(currency=currency, start_at=start_at)
    newest = made.filter(end_at__gt=since, end_at__lte=end_at).order_by("-end_at", "-pk").first()
    if newest is None or newest.end_at == end_at:
        return newest
    account = _account_of(newest)
    is_same = account is None or not count_since(account, newest.end_at, most=1)
    return newest if is_same else None


def make_due(*, now: datetime) -> int:
    """Continue with the statements that are still pending; return how many became ready."""
    made, ends_at = 0, time.monotonic() + TURN_SECONDS
    failed: set[str] = set()

    def go_on(statement_id: str) -> bool:
        failed.add(statement_id)
        is_ready = _go_on(statement_id, now=now)
        failed.remove(statement_id)
        return is_ready

    rows = due_statements(now).order_by("pk").values_list("pk", flat=True)
    while ids := list(rows.exclude(pk__in=failed)[:BATCH]):
        # One part of each in turn, so that a long statement does not hold up the short ones.
        soon = takewhile(lambda _: time.monotonic() < ends_at, ids)
        made += sweep("make statements", go_on, soon)
        if time.monotonic() >= ends_at:
            break
    return made


def due_statements(now: datetime) -> QuerySet[AccountStatement]:
    """Return the pending statements whose period has settled."""
    return AccountStatement.objects.filter(ready_at=None, end_at__lte=now - SETTLED_AFTER)


def refuse_pending(statement: AccountStatement, *, now: datetime) -> None:
    """Raise AccountStatementPending for a statement that is still being made."""
    if statement.ready_at is None:
        raise AccountStatementPending(_seconds_to_wait(statement.end_at, now))


def _seconds_to_wait(end_at: datetime, now: datetime) -> int:
    left = end_at + SETTLED_AFTER - now
    return max(1, math.ceil(left.total_seconds()))


def stored_lines(statement: AccountStatement, *, offset: int, limit: int) -> list[dict[str, Any]]:
    """Return lines of a ready statement, oldest first."""
    first, last = offset // PART_LINES, (offset + limit - 1) // PART_LINES
    parts = statement.parts.filter(number__range=(first, last)).order_by("number")
    lines = [line for part in parts for line in orjson.loads(zlib.decompress(part.content))]
    start = offset - first * PART_LINES
    return [
        {**line, "created_at": datetime.fromisoformat(line["created_at"])}
        for line in lines[start : start + limit]
    ]


def _go_on(statement_id: str, *, now: datetime) -> bool:
    """Copy the next part of a statement, or close it after the last; return whether it closed."""
    with transaction.atomic():
        statement = AccountStatement.objects.locked(statement_id)
        account = _account_of(statement)
        if statement.ready_at is not None or _copy_part(statement, account):
            return False
    with snapshot():  # the sums of a long period may exceed the usual statement timeout
        sums = _sums_of(statement, account)
    with transaction.atomic():
        statement = AccountStatement.objects.locked(statement_id)
        return statement.ready_at is None and _close(statement, sums, now=now)


def _account_of(statement: AccountStatement) -> Account | None:
    return Account.objects.filter(
        owner=statement.merchant_id,
        purpose=Purpose.MERCHANT,
        currency=statement.currency,
        livemode=statement.livemode,
    ).first()


def _is_short(account: Account | None, start_at: datetime) -> bool:
    return account is None or count_since(account, start_at, most=PART_LINES) < PART_LINES


def _copy_part(statement: AccountStatement, account: Account | None) -> bool:
    """Copy the next lines, if there are any; return whether there may be more.

    A part that is not full is the last one: should more lines turn up, the sums will not match.
    """
    if account is None or statement.lines_count % PART_LINES:
        return False
    close_period(account, statement.end_at)
    lines = lines_between(
        account,
        start_at=statement.read_at,
        end_at=statement.end_at,
        after_id=statement.read_id,
        limit=PART_LINES,
    )
    if not lines:
        return False
    AccountStatementPart.objects.create(
        statement=statement,
        number=statement.lines_count // PART_LINES,
        content=zlib.compress(dump_json([_stored(line) for line in lines])),
    )
    for line in lines:
        name = SUMS[TransferKind(line.kind)]
        setattr(statement, name, getattr(statement, name) + line.amount)
    statement.lines_count += len(lines)
    statement.read_at, statement.read_id = lines[-1].created_at, lines[-1].id
    statement.save(force_update=True)
    return len(lines) == PART_LINES


def _stored(line: Line) -> dict[str, Any]:
    return {
        "type": line.kind,
        "reference": line.reference,
        "amount": line.amount,
        "transaction_id": line.transaction_id,
        "description": line.description,
        "created_at": iso(line.created_at),
    }


def _sums_of(statement: AccountStatement, account: Account | None) -> PeriodSums:
    if account is None:
        return PeriodSums(0, 0, 0)
    return sums_between(account, start_at=statement.start_at, end_at=statement.end_at)


def _close(statement: AccountStatement, sums: PeriodSums, *, now: datetime) -> bool:
    """Complete a statement whose lines match the ledger's sums; otherwise start it over."""
    names = set(SUMS.values())
    copied = sum(getattr(statement, name) for name in names)
    if (copied, statement.lines_count) == (sums.amount, sums.lines_count):
        statement.opening_amount = sums.closing_amount - sums.amount
        statement.closing_amount = sums.closing_amount
        statement.ready_at = not_before(statement.created_at, now)
    else:  # a transfer with an earlier timestamp was committed in the meantime
        statement.parts.all().delete()
        for name in (*names, "lines_count", "read_id"):
            setattr(statement, name, 0)
        statement.read_at = statement.start_at
    statement.save(force_update=True)
    return statement.ready_at is not None
