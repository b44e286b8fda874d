"""Gather movements before a payout locks their account, so that it holds the lock for a moment.

The schedule gathers for busy accounts every few minutes. What an outage has left is gathered by the
next payout, in steps.
"""

from django.db import transaction

from core.sweeping import sweep
from ledger.models import Account, Purpose, UnsealedTransfer
from ledger.services import lock
from payouts.statements import BATCH, gather_batch, has_full_batch, open_statement


def gather_ahead() -> int:
    """Gather for the accounts with recent payments; return how many movements."""
    busy = Account.objects.filter(
        purpose=Purpose.MERCHANT, pk__in=UnsealedTransfer.objects.values("credit_account")
    )
    return sweep("gather movements", _gather_in_steps, busy.order_by("pk"))


def gather_before_payout(*, merchant_id: str, livemode: bool, currency: str) -> None:
    """Leave less than a batch to a payout of this account. Call it before anything is locked.

    Does nothing for most payouts, which have fewer movements than that.
    """
    accounts = Account.objects.filter(
        purpose=Purpose.MERCHANT, owner=merchant_id, livemode=livemode, currency=currency
    )
    for account in accounts:
        if has_full_batch(account):
            _gather_in_steps(account)


def _gather_in_steps(account: Account) -> int:
    """Gather with a pause after each batch, so that debits of the account can proceed."""
    gathered = 0
    while step := _gather_one_batch(account):
        gathered += step
        if step < BATCH:
            break
    return gathered


@transaction.atomic
def _gather_one_batch(account: Account) -> int:
    lock(account)
    return gather_batch(open_statement(account))
