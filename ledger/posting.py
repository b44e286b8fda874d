"""Movements as rows: their effect on each account, and the statements that write them."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F
from psycopg.types.numeric import Int8

from core.writing import Write, insertion_of, write
from ledger.errors import InsufficientBalance
from ledger.models import LOCK_ORDER, Account, Purpose, Transfer, TransferKind

CHANGE_BALANCE = "UPDATE ledger_account SET balance = balance + %s WHERE id = %s"
_WAIT = """
    INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id, credit_account_id, amount)
    SELECT id, debit_account_id, credit_account_id, amount FROM {moved}
"""


@dataclass(frozen=True, kw_only=True)
class Movement:
    """A movement of `amount`, in the accounts' currency, from `debit` to `credit`.

    `reference` is the public id of what caused it (pay_…, ref_…, po_…), unique per kind.
    """

    kind: TransferKind
    reference: str
    debit: Account
    credit: Account
    amount: int
    description: str = ""


@dataclass
class Effect:
    """What movements do to one account: the net change, and the lowest point on the way."""

    account: Account
    change: int = 0
    deepest: int = 0

    def add(self, amount: int) -> None:
        self.change += amount
        self.deepest = min(self.deepest, self.change)


def effects_of(movements: Sequence[Movement]) -> list[Effect]:
    """Return the effect on each account, in the order in which accounts are locked."""
    effects: dict[int, Effect] = {}
    for movement in movements:
        for account, amount in (
            (movement.debit, -movement.amount),
            (movement.credit, movement.amount),
        ):
            effects.setdefault(account.pk, Effect(account)).add(amount)
    return sorted(
        effects.values(),
        key=lambda effect: (LOCK_ORDER[Purpose(effect.account.purpose)], effect.account.pk),
    )


def transfers_of(
    movements: Sequence[Movement], *, transaction_id: str, posted_at: datetime
) -> list[Transfer]:
    """Return the transfers of movements, not saved yet."""
    return [
        Transfer(
            transaction_id=transaction_id,
            kind=movement.kind,
            reference=movement.reference,
            debit_account=movement.debit,
            credit_account=movement.credit,
            amount=movement.amount,
            currency=movement.debit.currency,
            livemode=movement.debit.livemode,
            description=movement.description,
            created_at=posted_at,
        )
        for movement in movements
    ]


def post_at_once(transfers: Sequence[Transfer], wallets: Sequence[Effect]) -> None:
    """Change wallets and write transfers: in one statement on PostgreSQL, for one wallet at most.

    Raises InsufficientBalance for a wallet that does not hold what it pays.
    """
    if connection.vendor == "postgresql" and len(wallets) <= 1:
        if not write(*_covered_posting(transfers, *wallets)):
            raise InsufficientBalance
        return
    # A second wallet that holds too little undoes the first, even if the caller catches the error.
    with transaction.atomic() if len(wallets) > 1 else nullcontext():
        for effect in wallets:
            _change_wallet(effect)
    with transaction.atomic(savepoint=False):
        write(*_rows_of(transfers))


def credit_only_posting(transfers: Sequence[Transfer], wallets: Sequence[Effect]) -> list[Write]:
    """Return the statements of a posting in which no wallet pays."""
    return [*map(_change_of, wallets), *_rows_of(transfers)]


def _covered_posting(transfers: Sequence[Transfer], wallet: Effect | None = None) -> list[Write]:
    """Return the statements of a posting that writes nothing if its wallet is not covered."""
    if wallet is None or not wallet.deepest:
        return credit_only_posting(transfers, [wallet] if wallet else [])
    sql, params, _ = _change_of(wallet)
    least = Int8(-wallet.deepest)
    change = Write(f"{sql} AND balance >= %s RETURNING 1", [*params, least], "covered")
    return [change, *_rows_of(transfers, "SELECT new.* FROM (VALUES {rows}) AS new, covered")]


def _change_of(wallet: Effect) -> Write:
    return Write(CHANGE_BALANCE, [Int8(wallet.change), Int8(wallet.account.pk)])


def _rows_of(transfers: Sequence[Transfer], source: str = "VALUES {rows}") -> list[Write]:
    """Return the statements that insert transfers and queue them for their seals."""
    insertion = insertion_of(*transfers)
    if connection.vendor != "postgresql":
        return [insertion, _waiting_for(transfers)]
    into, _, rows = insertion.sql.partition("VALUES ")
    moved = f"{into}{source.format(rows=rows)} RETURNING *"
    return [
        Write(moved, insertion.params, "moved"),
        Write(_WAIT.format(moved="moved"), []),
    ]


def _waiting_for(transfers: Sequence[Transfer]) -> Write:
    """Return the statement that queues transfers which a statement of its own has inserted."""
    pairs = ", ".join(["(%s, %s)"] * len(transfers))
    found = f"ledger_transfer WHERE (reference, kind) IN (VALUES {pairs})"
    params = [part for it in transfers for part in (it.reference, it.kind)]
    return Write(_WAIT.format(moved=found), params)


def _change_wallet(effect: Effect) -> None:
    covered = Account.objects.filter(pk=effect.account.pk, balance__gte=-effect.deepest)
    if not covered.update(balance=F("balance") + effect.change):
        raise InsufficientBalance
