"""Money that comes in at the bank: credited by the reference that the customer wrote on it.

Called in the transaction that matches a bank entry, which is locked. Nothing is guessed: what names
no reference of ours waits with the other entries for a person.
"""

from datetime import datetime

from funding.errors import FundingLimitReached
from funding.models import FundingWay, TopUp
from funding.references import references_in
from funding.services import credit_locked, refuse_above_limit
from funding.statuses import CREDITABLE, TopUpStatus
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryState


def credit_entry(entry: BankEntry, *, actor: str, now: datetime) -> str:
    """Credit the wallet whose reference a bank entry names; return the top-up's id.

    Empty where it names none of ours. The same money in another kind of file is credited once.
    Raises BankEntryUnfit for what a person has to look at.
    """
    named = references_in(entry.end_to_end_id, entry.message)
    found = TopUp.objects.filter(
        reference__in=named, livemode=entry.livemode, way=FundingWay.BANK_TRANSFER
    )
    keys = list(found.values_list("pk", flat=True)[:2]) if named else []
    if not keys:
        return ""
    if len(keys) > 1:
        raise BankEntryUnfit("It names more than one top-up.")
    top_up = TopUp.objects.locked(keys[0])
    _refuse_unfit(entry, top_up)
    if TopUpStatus(top_up.status) in CREDITABLE:
        amount = entry.amount or 0
        _refuse_too_much(top_up, amount, now)
        credit_locked(top_up, amount=amount, actor=actor, now=now)
    return top_up.pk


def _refuse_unfit(entry: BankEntry, top_up: TopUp) -> None:
    said = BankEntry.objects.filter(credited_to=top_up.pk, state=BankEntryState.MATCHED)
    if said.filter(source=entry.source).exists():
        raise BankEntryUnfit("Money with this reference has come in before.")
    if entry.currency != top_up.currency or not entry.amount:
        raise BankEntryUnfit("The currency is not that of the top-up.")
    if TopUpStatus(top_up.status) in CREDITABLE:
        return
    if entry.amount != top_up.amount_received:
        raise BankEntryUnfit("Another amount has come in with this reference before.")


def _refuse_too_much(top_up: TopUp, amount: int, now: datetime) -> None:
    """What was ordered has been counted against the limit; what is more is counted here."""
    if amount <= top_up.amount:
        return
    try:
        refuse_above_limit(top_up.customer, amount - top_up.amount, now=now)
    except FundingLimitReached as error:
        raise BankEntryUnfit("It is more than the customer may add in a day.") from error
