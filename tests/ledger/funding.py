"""Accounts with money in them, for the tests of the ledger."""

from datetime import UTC, datetime
from itertools import count

from django.db import transaction

from core.ids import new_id
from ledger.integrity import verify
from ledger.models import HOUSE, Account, Purpose, TransferKind
from ledger.services import Movement, account_for, post_transfers
from ledger.snapshot import snapshot

NOW = datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC)

_references = count(1)


def opened(
    purpose: Purpose,
    owner: str = "",
    *,
    holding: int = 0,
    currency: str = "BSD",
    livemode: bool = False,
) -> Account:
    """Return the account of this purpose, with money in it."""
    account = account_for(
        owner=owner or f"{purpose}_1", purpose=purpose, currency=currency, livemode=livemode
    )
    if holding:
        fund(account, holding)
    return account


def fund(account: Account, amount: int) -> str:
    """Bring money from outside into an account; return the reference."""
    funding = account_for(
        owner=HOUSE,
        purpose=Purpose.FUNDING,
        currency=account.currency,
        livemode=account.livemode,
    )
    return move(funding, account, amount, TransferKind.TOP_UP)


def move(
    debit: Account,
    credit: Account,
    amount: int,
    kind: TransferKind = TransferKind.PAYMENT,
    reference: str = "",
) -> str:
    """Post one movement in a transaction of its own; return its reference."""
    reference = reference or f"ref_filling_{next(_references)}"
    movement = Movement(kind=kind, reference=reference, debit=debit, credit=credit, amount=amount)
    with transaction.atomic():
        post_transfers(transaction_id=new_id("txn", NOW), movements=[movement], now=NOW)
    return reference


def problems() -> list[str]:
    """Return what `verify_ledger` would complain of."""
    with snapshot():
        return list(verify(progress=lambda done, total: None))
