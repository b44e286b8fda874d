"""Refused payouts that left all the same, in a batch that the bank booked whole, and come back.

The money of a refused payout is in the merchant's balance again. A debit for it contradicts that
until the bank returns the money: then debit and return explain each other, in either order.
"""

from django.db.models import F, Q

from payouts.models import (
    CAME_IN,
    BankEntry,
    BankEntryKind,
    BankEntryQuerySet,
    BankEntryState,
    Payout,
    PayoutBatch,
)
from payouts.statuses import PayoutStatus

K = BankEntryKind


def is_round_trip(kind: BankEntryKind, payout: Payout) -> bool:
    """Return whether an entry of this kind is one half of a refused payout's round trip."""
    if payout.status != PayoutStatus.FAILED or payout.batch is None:
        return False
    others = _entries_like(payout)
    if kind in (K.DEBIT, K.SETTLED):
        return others.filter(_returns(payout)).exists()
    is_booked = (
        payout.booked_at is not None or others.filter(_debits(payout, payout.batch)).exists()
    )
    return kind == K.RETURN and is_booked


def _entries_like(payout: Payout) -> BankEntryQuerySet:
    """Return the entries of a payout's mode and currency, without charges and those set aside."""
    entries = BankEntry.objects.besides_charges().exclude(state=BankEntryState.OTHER)
    return entries.filter(livemode=payout.livemode, currency=payout.currency)


def _returns(payout: Payout) -> Q:
    """Return the condition for entries that return a payout, or were matched with its return."""
    named = Q(end_to_end_id=payout.order.end_to_end_id, kind=K.RETURN)
    matched = Q(payout=payout, kind__in=CAME_IN)
    return Q(named | matched, amount=payout.amount)


def _debits(payout: Payout, batch: PayoutBatch) -> Q:
    """Return the condition for debits of a payout: by its own reference, or of its whole batch."""
    alone = Q(_is_of(payout.amount), end_to_end_id=payout.order.end_to_end_id)
    of_run = Q(end_to_end_id="", message_reference=batch.message_id) | Q(batch=batch)
    return Q(alone | Q(of_run, _is_of(batch.total_amount)), kind=K.DEBIT)


def _is_of(amount: int) -> Q:
    return Q(amount=amount) | Q(amount=amount + F("charge_amount"))
