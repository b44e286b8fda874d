"""What Finance decides on bank entries, if the files alone do not explain them."""

from datetime import datetime
from typing import Any

from backoffice.models import Instruction
from funding.bank_transfers import credit_by_hand
from merchants.callers import Caller
from payouts.bank.by_hand import (
    match_batch_by_hand,
    match_by_hand,
    reopen_entry,
    set_aside,
    undo_match,
)
from payouts.contradictions import our_reference
from payouts.models import BankEntry, Payout, PayoutBatch
from payouts.services import RETURNED_BY_BANK, record_returned

SERVICE, MERCHANT = "the service", "the merchant"


def named_by(entry: BankEntry) -> str:
    """Return the id of the payout or run that an entry names; empty if it names none of ours."""
    name, mode = our_reference(entry), {"livemode": entry.livemode}
    if not name:
        return ""
    runs = PayoutBatch.objects.filter(message_id=name, **mode)
    found = Payout.objects.filter(order__end_to_end_id=name, **mode).first() or runs.first()
    return found.pk if found else ""


def match_entry_by_hand(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Match an entry with a payout or a run, with the given bank charge, if any.

    Raises as the services of `by_hand` do.
    """
    asked, subject_id = instruction.arguments, instruction.subject_id
    known: dict[str, Any] = {
        "entry_id": asked["entry"],
        "charge_amount": asked.get("charge_amount", 0),
        "actor": caller.actor,
        "now": now,
    }
    if subject_id.startswith("bat_"):
        match_batch_by_hand(batch_id=subject_id, **known)
    else:
        by_merchant = asked.get("charge_borne_by") == MERCHANT
        match_by_hand(payout_id=subject_id, merchant_bears_charge=by_merchant, **known)
    return subject_id


def set_entry_aside(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Explain an entry that holds back payouts. Raises as `set_aside` does."""
    entry = set_aside(
        entry_id=instruction.subject_id,
        note=instruction.reason,
        by_two=True,
        actor=caller.actor,
        now=now,
    )
    return entry.pk


def reopen_order_entry(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Make an entry that names an order or a run wait again. Raises as `reopen_entry` does."""
    return reopen_entry(entry_id=instruction.subject_id, by_two=True).pk


def matched_with(instruction: Instruction) -> str:
    """Return the payout or run whose match is to be undone.

    A request of the previous release was about the entry, and named the other as an argument.
    """
    return str(instruction.arguments.get("matched_with", instruction.subject_id))


def undo_entry_match(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Undo the match of an entry with the wrong payout or run. Raises as `undo_match` does."""
    undo_match(
        entry_id=instruction.arguments.get("entry", instruction.subject_id),
        matched_with=matched_with(instruction),
        cause=instruction.reason,
        actor=caller.actor,
        now=now,
    )
    return instruction.subject_id


def credit_wallet(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Credit incoming money to a customer's wallet. Raises as `credit_by_hand` does."""
    top_up = credit_by_hand(
        entry_id=instruction.arguments["entry"],
        customer_id=instruction.subject_id,
        top_up_id=instruction.arguments["top_up"],
        actor=caller.actor,
        now=now,
    )
    return top_up.pk


def record_return(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Record that the bank returned a payout. Raises as `record_returned` does."""
    payout = record_returned(
        payout_id=instruction.subject_id,
        code=RETURNED_BY_BANK,
        message=instruction.reason,
        actor=caller.actor,
        now=now,
    )
    return payout.id
