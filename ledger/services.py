"""Find accounts, read balances, move money."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Case, F, Q, QuerySet, Value, When

from core.money import minor_digits
from core.prepared import Place, Prepared
from ledger.errors import InsufficientBalance
from ledger.models import (
    LOCK_ORDER,
    Account,
    Purpose,
    Transfer,
    TransferKind,
    UnsealedTransfer,
    exact_balance,
)

_COLUMNS = (
    *("transaction_id", "kind", "reference", "debit_account_id", "credit_account_id"),
    *("amount", "currency", "livemode", "description", "created_at", "signature"),
)
_SIGNATURE: Any = Transfer._meta.get_field("signature")
_CHANGE_COVERED = """
    UPDATE ledger_account SET balance = balance + %s WHERE id = %s AND balance >= %s RETURNING 1
"""
_POST = f"""
    WITH covered AS ({{covered}}),
    moved AS (
        INSERT INTO ledger_transfer ({", ".join(_COLUMNS)})
        SELECT new.* FROM (VALUES {{rows}}) AS new, covered
        RETURNING id, debit_account_id, credit_account_id, amount
    )
    INSERT INTO ledger_unsealedtransfer
        (transfer_id, debit_account_id, credit_account_id, amount)
    SELECT * FROM moved
"""  # noqa: S608  # names of columns


@dataclass(frozen=True, kw_only=True)
class Movement:
    """A movement of `amount`, in the accounts' currency, from `debit` to `credit`.

    `reference` is the public id of what moves it (pay_…, ref_…, po_…), once per kind.
    """

    kind: TransferKind
    reference: str
    debit: Account
    credit: Account
    amount: int
    description: str = ""


def account_for(*, owner: str, purpose: Purpose, currency: str, livemode: bool) -> Account:
    """Return the account of this owner, opened on first use."""
    account, _ = Account.objects.get_or_create(
        owner=owner,
        purpose=purpose,
        currency=currency,
        livemode=livemode,
        defaults={"exponent": minor_digits(currency)},
    )
    return account


def accounts_for(
    *owners: tuple[str, Purpose], currency: str, livemode: bool, hold: bool = False
) -> tuple[Account, ...]:
    """Return several accounts of one currency and mode in the order given, in one statement.

    `hold` locks them all, as `lock` does, in the order in which `post_transfers` takes them.
    """
    texts = {"currency": currency}
    for number, (owner, purpose) in enumerate(owners):
        texts |= {f"owner{number}": owner, f"purpose{number}": purpose}
    rows = _accounts(len(owners), livemode=livemode, hold=hold).rows(**texts)
    found = {(account.owner, account.purpose): account for account in rows}
    for owner, purpose in owners:
        if (owner, purpose) not in found:
            opened = account_for(owner=owner, purpose=purpose, currency=currency, livemode=livemode)
            found[owner, purpose] = opened
            if hold:
                lock(opened)
    return tuple(found[owner, purpose] for owner, purpose in owners)


@cache
def _accounts(count: int, *, livemode: bool, hold: bool) -> Prepared[Account]:
    wanted = Q()
    for number in range(count):
        wanted |= Q(owner=Place(f"owner{number}"), purpose=Place(f"purpose{number}"))
    rows = Account.objects.filter(wanted, currency=Place("currency"), livemode=livemode)
    if hold:
        places = [When(purpose=purpose, then=Value(place)) for purpose, place in LOCK_ORDER.items()]
        rows = rows.order_by(Case(*places), "pk").select_for_update(no_key=True)
    return Prepared(rows)


def balance_of(account: Account) -> int:
    """Return the exact balance at this moment, by one statement."""
    names = {"owner": account.owner, "currency": account.currency, "purpose": account.purpose}
    (found,) = _exact(livemode=account.livemode).rows(**names)
    return int(found.exact)


@cache
def _exact(*, livemode: bool) -> Prepared[Any]:
    names = {name: Place(name) for name in ("owner", "currency", "purpose")}
    return Prepared(
        Account.objects.filter(livemode=livemode, **names).annotate(exact=exact_balance())
    )


def balances(*, owner: str, purpose: Purpose, livemode: bool) -> dict[str, int]:
    """Return the exact balance of this owner in each currency that has an account."""
    rows = _exact_by_currency(livemode=livemode).rows(owner=owner, purpose=purpose)
    return {account.currency: account.exact for account in rows}


def exact_balances(*, owner: str, purpose: str, livemode: bool) -> QuerySet[Account]:
    """Return the query for an owner's accounts, one per currency, each with its `exact` balance."""
    accounts = Account.objects.filter(owner=owner, purpose=purpose, livemode=livemode)
    return accounts.annotate(exact=exact_balance())


@cache
def _exact_by_currency(*, livemode: bool) -> Prepared[Any]:
    places = {"owner": Place("owner"), "purpose": Place("purpose")}
    return Prepared(exact_balances(**places, livemode=livemode).order_by("currency"))


def lock(account: Account) -> None:
    """Lock the account until the transaction ends, so that no other transaction debits it.

    A merchant's account is locked before any other account, and before `post_transfers`. Credits
    go on: `no_key` lets their foreign keys pass. Read the balance after this, in a statement of its
    own: one that had to wait for the lock would add the transfers as they were before the wait to
    the balance as it is after it.
    """
    _accounts(1, livemode=account.livemode, hold=True).rows(
        owner0=account.owner, purpose0=account.purpose, currency=account.currency
    )


def post_transfers(
    *,
    transaction_id: str,
    movements: Sequence[Movement],
    now: datetime,
    held: Collection[Account] = (),
) -> None:
    """Move money inside the caller's transaction, all of it or nothing.

    No account but funding goes below zero, not even between two movements of one call: list what an
    account receives before what it pays. Accounts are locked merchants first, wallets last; the
    caller has locked those that are `held`. What a slow clock would post into a period whose
    statement has been made is of the next one.

    Raises InsufficientBalance, before anything is written. Raises IntegrityError for a reference
    that has moved money already, across modes or currencies, or where an account was opened with
    other decimals than its currency has now.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("post() belongs in a transaction.")
    _check_exponents(movements)
    posted_at = _posting_time(movements, now)
    effects = _effects(movements)
    _hold_debited(effects, held)
    transfers = [
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
    wallets = [effect for effect in effects if effect.account.purpose == Purpose.WALLET]
    if connection.vendor == "postgresql" and len(wallets) <= 1:
        _post_at_once(transfers, *wallets)
    else:
        _change_wallets(wallets)
        _insert(transfers)


def _check_exponents(movements: Sequence[Movement]) -> None:
    for movement in movements:
        for account in (movement.debit, movement.credit):
            if account.exponent != minor_digits(account.currency):
                raise IntegrityError(f"Account {account.pk} has {account.exponent} decimals.")


def _posting_time(movements: Sequence[Movement], now: datetime) -> datetime:
    """Return `now`, or the end of the latest closed period of these accounts if that is later."""
    posted_at = now
    for movement in movements:
        for account in (movement.debit, movement.credit):
            if account.closed_until and posted_at < account.closed_until:
                posted_at = account.closed_until
    return posted_at


def close_period(account: Account, end_at: datetime) -> None:
    """Close the account's books up to `end_at`: later postings are dated `end_at` or after.

    `end_at` must be past by `core.clock_check.believed_now`, as nothing opens them again.
    """
    earlier = Q(closed_until=None) | Q(closed_until__lt=end_at)
    Account.objects.filter(earlier, pk=account.pk).update(closed_until=end_at)


@dataclass
class _Effect:
    """What a call does to one account: the net change, and the lowest point on the way."""

    account: Account
    change: int = 0
    deepest: int = 0

    def add(self, amount: int) -> None:
        self.change += amount
        self.deepest = min(self.deepest, self.change)


def _effects(movements: Sequence[Movement]) -> list[_Effect]:
    effects: dict[int, _Effect] = {}
    for movement in movements:
        for account, amount in (
            (movement.debit, -movement.amount),
            (movement.credit, movement.amount),
        ):
            effects.setdefault(account.pk, _Effect(account)).add(amount)
    return sorted(
        effects.values(),
        key=lambda effect: (LOCK_ORDER[Purpose(effect.account.purpose)], effect.account.pk),
    )


def _hold_debited(effects: Sequence[_Effect], held: Collection[Account]) -> None:
    for effect in effects:
        if effect.account.purpose not in (Purpose.WALLET, Purpose.FUNDING) and effect.deepest < 0:
            if effect.account not in held:
                lock(effect.account)
            if balance_of(effect.account) + effect.deepest < 0:
                raise InsufficientBalance


def _change_wallets(wallets: Sequence[_Effect]) -> None:
    # A second wallet that has too little must undo the first, even if the caller catches it.
    with transaction.atomic() if len(wallets) > 1 else nullcontext():
        for effect in wallets:
            _change_wallet(effect)


def _change_wallet(effect: _Effect) -> None:
    covered = Account.objects.filter(pk=effect.account.pk, balance__gte=-effect.deepest)
    if not covered.update(balance=F("balance") + effect.change):
        raise InsufficientBalance


def _insert(transfers: Sequence[Transfer]) -> None:
    UnsealedTransfer.objects.bulk_create(
        UnsealedTransfer(
            transfer=transfer,
            debit_account=transfer.debit_account,
            credit_account=transfer.credit_account,
            amount=transfer.amount,
        )
        for transfer in Transfer.objects.bulk_create(transfers)
    )


def _post_at_once(transfers: Sequence[Transfer], wallet: _Effect | None = None) -> None:
    """Change a wallet, where it is covered, and write the transfers, by one statement."""
    params: list[Any] = []
    if wallet is not None:
        params += [wallet.change, wallet.account.pk, -wallet.deepest]
    for transfer in transfers:
        _SIGNATURE.pre_save(transfer, add=True)
        params += [getattr(transfer, name) for name in _COLUMNS]
    covered = "SELECT 1" if wallet is None else _CHANGE_COVERED
    rows = ", ".join([f"({', '.join(['%s'] * len(_COLUMNS))})"] * len(transfers))
    with connection.cursor() as cursor:
        cursor.execute(_POST.format(covered=covered, rows=rows), params)
        if not cursor.rowcount:
            raise InsufficientBalance
