"""Seal committed transfers into the chain, and fold them into the balances of their accounts."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog
from django.db import connection, transaction

from core.hash_chain import FIRST_HASH
from ledger.chain import SEALED_FIELDS, seal_hash
from ledger.logging_rows import log_entries, log_transfers
from ledger.models import LOCK_ORDER, Purpose, Seal, UnsealedTransfer
from ledger.posting import CHANGE_BALANCE

SEAL_BATCH = 1_000

logger = structlog.get_logger(__name__)


class SealerBusy(Exception):
    """Another process is writing to the log at this moment."""


@transaction.atomic
def seal_transfers(*, now: datetime, limit: int = SEAL_BATCH) -> int:
    """Seal up to `limit` waiting transfers in the order of their ids; return how many.

    A second process finds nothing to do while one is sealing. Accounts are locked last, after the
    hashing, so that a debit waits only while the balances are written.
    """
    if not hold_chain(now):
        return 0
    waiting = UnsealedTransfer.objects.order_by("transfer_id").values_list("pk", flat=True)
    ids = list(waiting[:limit])
    if not ids:
        return 0
    # By key: joined otherwise, the database might read all transfers since the first one.
    found = UnsealedTransfer.objects.filter(pk__in=ids).order_by("transfer_id")
    rows = list(found.values_list(*SEALED_FIELDS, named=True))
    seals = _next_seals(rows, now)
    Seal.objects.bulk_create(seals)
    log_transfers([row.transfer_id for row in rows], now=now)
    UnsealedTransfer.objects.filter(pk__in=ids).delete()
    _fold(rows)
    head = seals[-1]
    transaction.on_commit(
        lambda: logger.info("ledger_sealed", sequence=head.sequence, hash=head.hash)
    )
    return len(seals)


@transaction.atomic
def log_rows(*, now: datetime, limit: int = SEAL_BATCH) -> int:
    """Append up to `limit` waiting signed rows to the log; return how many."""
    return log_entries(now=now, limit=limit) if hold_chain(now) else 0


def hold_chain(now: datetime) -> bool:
    """Lock seal 0 until the transaction ends; return False if another transaction has it."""
    Seal.objects.get_or_create(sequence=0, defaults={"hash": FIRST_HASH, "sealed_at": now})
    free = Seal.objects.select_for_update(skip_locked=True).filter(sequence=0)
    return len(free) == 1


def _next_seals(rows: Sequence[Any], now: datetime) -> list[Seal]:
    head = Seal.objects.latest("sequence")
    seals = []
    for row in rows:
        sequence = head.sequence + 1
        digest = seal_hash(head.hash, sequence=sequence, sealed_at=now, fields=row)
        head = Seal(sequence=sequence, transfer_id=row.transfer_id, hash=digest, sealed_at=now)
        seals.append(head)
    return seals


def _fold(rows: Sequence[Any]) -> None:
    sums: Counter[tuple[int, int]] = Counter()
    for row in rows:
        for side, amount in (("debit", -row.transfer__amount), ("credit", row.transfer__amount)):
            purpose = Purpose(getattr(row, f"transfer__{side}_account__purpose"))
            if purpose != Purpose.WALLET:
                place = LOCK_ORDER[purpose], getattr(row, f"transfer__{side}_account_id")
                sums[place] += amount
    # Each update locks its row, in the same order as every other lock on accounts.
    changes = [(amount, account_id) for (_, account_id), amount in sorted(sums.items())]
    with connection.cursor() as cursor:
        cursor.executemany(CHANGE_BALANCE, changes)
