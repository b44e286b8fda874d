"""What finance says of the bank's entries, where the files alone do not tell."""

from datetime import datetime

from backoffice.models import Instruction
from customers.models import Customer
from funding.bank_transfers import credit_by_hand, refuse_no_credit
from merchants.callers import Caller
from payouts.bank.matching import match_by_hand, refuse_resolved
from payouts.errors import PayoutStatusUnfit
from payouts.models import BankEntry, Payout
from payouts.services import record_returned
from payouts.statuses import TRANSITIONS, PayoutStatus


def check_match(instruction: Instruction, now: datetime) -> None:
    """Raises BankEntryNotFound, BankEntryUnfit, PayoutNotFound."""
    refuse_resolved(BankEntry.objects.one(instruction.arguments["entry"]))
    Payout.objects.one(instruction.subject_id)


def match_entry_by_hand(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Take an entry for that of a payout. Raises as `match_by_hand` does."""
    match_by_hand(
        entry_id=instruction.arguments["entry"],
        payout_id=instruction.subject_id,
        actor=caller.actor,
        now=now,
    )
    return instruction.subject_id


def check_credit(instruction: Instruction, now: datetime) -> None:
    """Raises BankEntryNotFound, BankEntryUnfit, CustomerNotFound, CustomerErased."""
    refuse_no_credit(BankEntry.objects.one(instruction.arguments["entry"]))
    Customer.objects.one(instruction.subject_id).refuse_erased()


def credit_wallet(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Credit money that came in at the bank to a customer. Raises as `credit_by_hand` does."""
    top_up = credit_by_hand(
        entry_id=instruction.arguments["entry"],
        customer_id=instruction.subject_id,
        top_up_id=instruction.arguments["top_up"],
        actor=caller.actor,
        now=now,
    )
    return top_up.pk


def check_return(instruction: Instruction, now: datetime) -> None:
    """Raises PayoutNotFound, PayoutStatusUnfit."""
    payout = Payout.objects.one(instruction.subject_id)
    if PayoutStatus.RETURNED not in TRANSITIONS[PayoutStatus(payout.status)]:
        raise PayoutStatusUnfit(status=f"is {payout.status}")


def record_return(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Record that the bank sent a payout back. Raises as `record_returned` does."""
    payout = record_returned(
        payout_id=instruction.subject_id,
        code="returned_by_bank",
        message=instruction.reason,
        actor=caller.actor,
        now=now,
    )
    return payout.id
