"""Find accounts, read balances, move money."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.db.models import Case, Q, QuerySet, Value, When

from core.money import minor_digits
from core.prepared import Placeholder, Prepared
from core.writing import Write
from ledger.errors import InsufficientBalance
from ledger.models import LOCK_ORDER, Account, Purpose, exact_balance
from ledger.posting import Effect, credit_only_posting, effects_of, post_at_once, transfers_of
from ledger.posting import Movement as Movement

# A wallet is checked by the statement that changes it, and funding may go below zero.
AT_ONCE = (Purpose.WALLET, Purpose.FUNDING)


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

    `hold` locks them all, as `lock` does, in the order in which `post_transfers` locks them.
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
        wanted |= Q(owner=Placeholder(f"owner{number}"), purpose=Placeholder(f"purpose{number}"))
    rows = Account.objects.filter(wanted, currency=Placeholder("currency"), livemode=livemode)
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
    names = {name: Placeholder(name) for name in ("owner", "currency", "purpose")}
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
    places = {"owner": Placeholder("owner"), "purpose": Placeholder("purpose")}
    return Prepared(exact_balances(**places, livemode=livemode).order_by("currency"))


def lock(account: Account) -> None:
    """Lock the account until the transaction ends, so that no other transaction debits it.

    A merchant's account is locked before any other account, and before `post_transfers`. Credits
    proceed: `no_key` lets their foreign keys pass. Read the balance after this, in a statement of
    its own: one that had to wait for the lock would combine the balance from after the wait with
    the transfers from before it.
    """
    _accounts(1, livemode=account.livemode, hold=True).rows(
        owner0=account.owner, purpose0=account.purpose, currency=account.currency
    )


def post_transfers(*, transaction_id: str, movements: Sequence[Movement], now: datetime) -> None:
    """Move money inside the caller's transaction: all of it or none.

    No account but funding goes below zero, not even between two movements of one call: list what an
    account receives before what it pays. Accounts are locked merchants first, wallets last. What a
    slow clock would date into a period whose statement is made is posted to the next one.

    Raises InsufficientBalance, before anything is written. Raises IntegrityError for a reference
    that has moved money already, across modes or currencies, or if an account was opened with other
    decimals than its currency has now.
    """
    effects = _checked_effects(movements)
    for effect in effects:
        if effect.account.purpose not in AT_ONCE and effect.deepest < 0:
            lock(effect.account)
            _refuse_uncovered(effect)
    posted_at = _posting_time(movements, now)
    transfers = transfers_of(movements, transaction_id=transaction_id, posted_at=posted_at)
    post_at_once(transfers, _wallets(effects))


def posting_of(*, transaction_id: str, movements: Sequence[Movement], now: datetime) -> list[Write]:
    """Return the statements that `post_transfers` would send, to be sent with others.

    The accounts that pay are locked, and none is a wallet: what is covered now still is by then.
    Raises as `post_transfers` does, except for what the database refuses when they are sent.
    """
    effects = _checked_effects(movements)
    for effect in effects:
        if effect.deepest < 0:
            _refuse_uncovered(effect)
    posted_at = _posting_time(movements, now)
    transfers = transfers_of(movements, transaction_id=transaction_id, posted_at=posted_at)
    return credit_only_posting(transfers, _wallets(effects))


def _checked_effects(movements: Sequence[Movement]) -> list[Effect]:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A posting belongs in a transaction.")
    for movement in movements:
        for account in (movement.debit, movement.credit):
            if account.exponent != minor_digits(account.currency):
                raise IntegrityError(f"Account {account.pk} has {account.exponent} decimals.")
    return effects_of(movements)


def _wallets(effects: Sequence[Effect]) -> list[Effect]:
    return [effect for effect in effects if effect.account.purpose == Purpose.WALLET]


def _refuse_uncovered(effect: Effect) -> None:
    if balance_of(effect.account) + effect.deepest < 0:
        raise InsufficientBalance


def _posting_time(movements: Sequence[Movement], now: datetime) -> datetime:
    """Return `now`, or the end of the latest closed period of these accounts if that is later."""
    accounts = (account for it in movements for account in (it.debit, it.credit))
    return max([now, *(account.closed_until for account in accounts if account.closed_until)])


def close_period(account: Account, end_at: datetime) -> None:
    """Close the account's books up to `end_at`: later postings are dated `end_at` or after.

    `end_at` must be past by `core.clock_check.capped_now`: a closed period is never reopened.
    """
    earlier = Q(closed_until=None) | Q(closed_until__lt=end_at)
    Account.objects.filter(earlier, pk=account.pk).update(closed_until=end_at)
