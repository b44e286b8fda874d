"""Find accounts, read balances, move money."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import F, Q

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
        owner=owner, purpose=purpose, currency=currency, livemode=livemode
    )
    return account


def accounts_for(
    *owners: tuple[str, Purpose], currency: str, livemode: bool
) -> tuple[Account, ...]:
    """Return several accounts of one currency and mode in the order given, in one statement."""
    wanted = Q()
    for owner, purpose in owners:
        wanted |= Q(owner=owner, purpose=purpose)
    rows = Account.objects.filter(wanted, currency=currency, livemode=livemode)
    found = {(account.owner, account.purpose): account for account in rows}
    return tuple(
        found.get((owner, purpose))
        or account_for(owner=owner, purpose=purpose, currency=currency, livemode=livemode)
        for owner, purpose in owners
    )


def balance_of(account: Account) -> int:
    """Return the exact balance at this moment, by one statement."""
    found = Account.objects.filter(pk=account.pk).annotate(exact=exact_balance())
    return int(found.values_list("exact", flat=True).get())


def balances(*, owner: str, purpose: Purpose, livemode: bool) -> dict[str, int]:
    """Return the exact balance of this owner in each currency that has an account."""
    found = Account.objects.filter(owner=owner, purpose=purpose, livemode=livemode)
    exact = found.annotate(exact=exact_balance()).order_by("currency")
    return dict(exact.values_list("currency", "exact"))


def lock(account: Account) -> None:
    """Lock the account until the transaction ends, so that no other transaction debits it.

    A merchant's account is locked before any other account, and before `post_transfers`. Credits
    go on: `no_key` lets their foreign keys pass. Read the balance after this, in a statement of its
    own: one that had to wait for the lock would add the transfers as they were before the wait to
    the balance as it is after it.
    """
    Account.objects.select_for_update(no_key=True).get(pk=account.pk)


def post_transfers(*, transaction_id: str, movements: Sequence[Movement], now: datetime) -> None:
    """Move money inside the caller's transaction, all of it or nothing.

    No account but funding goes below zero, not even between two movements of one call: list what an
    account receives before what it pays. Accounts are locked merchants first, wallets last.

    Raises InsufficientBalance, before anything is written. Raises IntegrityError for a reference
    that has moved money already, and across modes or currencies.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("post() belongs in a transaction.")
    _apply(_effects(movements))
    transfers = Transfer.objects.bulk_create(
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
            created_at=now,
        )
        for movement in movements
    )
    UnsealedTransfer.objects.bulk_create(
        UnsealedTransfer(
            transfer=transfer,
            debit_account=transfer.debit_account,
            credit_account=transfer.credit_account,
            amount=transfer.amount,
        )
        for transfer in transfers
    )


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


def _apply(effects: Sequence[_Effect]) -> None:
    wallets = [effect for effect in effects if effect.account.purpose == Purpose.WALLET]
    for effect in effects:
        if effect.account.purpose not in (Purpose.WALLET, Purpose.FUNDING) and effect.deepest < 0:
            _hold(effect)
    # A second wallet that has too little must undo the first, even if the caller catches it.
    with transaction.atomic() if len(wallets) > 1 else nullcontext():
        for effect in wallets:
            _change_wallet(effect)


def _hold(effect: _Effect) -> None:
    lock(effect.account)
    if balance_of(effect.account) + effect.deepest < 0:
        raise InsufficientBalance


def _change_wallet(effect: _Effect) -> None:
    covered = Account.objects.filter(pk=effect.account.pk, balance__gte=-effect.deepest)
    if not covered.update(balance=F("balance") + effect.change):
        raise InsufficientBalance
