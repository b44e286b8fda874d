"""Gather the movements of busy accounts in advance, to keep a month's payout short."""

from datetime import datetime

from django.db import transaction

from core.sweeping import sweep
from ledger.models import Account, Purpose, UnsealedTransfer
from ledger.services import lock
from payouts.statements import BATCH, gather_batch, open_statement


def gather_ahead(*, now: datetime) -> int:
    """Gather for the accounts with recent payments; return how many movements."""
    busy = Account.objects.filter(
        purpose=Purpose.MERCHANT, pk__in=UnsealedTransfer.objects.values("credit_account")
    )
    return sweep(
        "gather movements", lambda account: _gather_in_steps(account, now), busy.order_by("pk")
    )


def _gather_in_steps(account: Account, now: datetime) -> int:
    """Gather with a pause after each batch, so that debits of the account can proceed."""
    gathered = 0
    while step := _gather_one_batch(account, now):
        gathered += step
        if step < BATCH:
            break
    return gathered


@transaction.atomic
def _gather_one_batch(account: Account, now: datetime) -> int:
    lock(account)
    statement = open_statement(account)
    return len(gather_batch(statement, after=statement.gathered_through, now=now))
