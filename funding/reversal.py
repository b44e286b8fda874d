"""Reverse top-ups whose money the bank has taken back, or that was someone else's.

What was spent meanwhile cannot be taken back: a reversal is limited to what the wallet holds.
"""

from datetime import datetime

from django.db import transaction

from core.errors import InvalidAmount
from core.ids import new_id
from customers.services import wallet
from funding.models import TopUp
from funding.notices import plan_reversal
from funding.statuses import TopUpStatus
from ledger.models import HOUSE, Purpose, TransferKind
from ledger.services import Movement, account_for, post_transfers


@transaction.atomic
def reverse_top_up(*, top_up_id: str, amount: int, cause: str, actor: str, now: datetime) -> TopUp:
    """Take back `amount`, in cents, of a top-up, once, and tell the customer.

    Raises TopUpNotFound, TopUpStatusUnfit, InvalidAmount for more than was received, and
    InsufficientBalance if the wallet holds less.
    """
    top_up = TopUp.objects.select_related("customer").locked(top_up_id)
    refuse_more(top_up, amount)
    top_up.amount_reversed = amount
    top_up.transition_to(TopUpStatus.REVERSED, now=now, actor=actor, cause=cause[:255])
    funding = account_for(
        owner=HOUSE, purpose=Purpose.FUNDING, currency=top_up.currency, livemode=top_up.livemode
    )
    movement = Movement(
        kind=TransferKind.ADJUSTMENT,
        reference=top_up.pk,
        debit=wallet(top_up.customer, top_up.currency),
        credit=funding,
        amount=amount,
        description=f"Reversal of {top_up.pk}",
    )
    post_transfers(transaction_id=new_id("txn", now), movements=[movement], now=now)
    plan_reversal(top_up, now=now)
    return top_up


def refuse_more(top_up: TopUp, amount: int) -> None:
    """Raise InvalidAmount unless the amount is from 1 to what was received."""
    received = top_up.amount_received or 0
    if not 0 < amount <= received:
        raise InvalidAmount(amount=f"must be from 1 to {received} of the smallest unit")
