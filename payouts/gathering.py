"""Gather the movements of busy accounts in advance, so that a monthly payout stays quick."""

from django.db import transaction

from core.sweeping import sweep
from ledger.models import Account, Purpose, UnsealedTransfer
from ledger.services import lock
from payouts.statements import BATCH, gather_batch, open_statement


def gather_ahead() -> int:
    """Gather for the accounts with recent payments; return how many movements."""
    busy = Account.objects.filter(
        purpose=Purpose.MERCHANT, pk__in=UnsealedTransfer.objects.values("credit_account")
    )
    return sweep("gather movements", _gather_in_steps, busy.order_by("pk"))


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
