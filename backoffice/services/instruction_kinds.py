"""What an instruction can be about: the right it takes, what is checked, and what is then done.

A task is checked at the request and again when it is carried out, by the service that does it:
hours may pass in between.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from django.db import transaction

from backoffice import formats
from backoffice.models import Instruction
from backoffice.roles import InstructionKind, Right
from backoffice.services import (
    accounts,
    bank_entries,
    bank_uploads,
    customers,
    merchants,
    money,
    payouts,
    personal_data,
)
from merchants.callers import Caller

K, R = InstructionKind, Right
Check = Callable[[Instruction, datetime], None]
CarryOut = Callable[[Instruction, Caller, datetime], str | None]


@dataclass(frozen=True)
class InstructionTask:
    """One task. `kind` is the kind whose limit applies.

    `always_two`: a second person is needed within the limit too, as always if no role has a limit.
    `alone_in_test`: in test mode none is needed. `carry_out` returns the id of what it created, if
    anything. `check` is called at the request, if that checks more than carrying it out would, or
    trying it costs too much. `holder` names to the approver what the amount is put into; `takes`:
    it is taken out instead, as it is if the form says so.
    """

    title: str
    kind: InstructionKind
    right: Right
    carry_out: CarryOut
    check: Check | None = None
    always_two: bool = False
    alone_in_test: bool = False
    holder: str = ""
    takes: bool = False

    def check_request(self, instruction: Instruction, now: datetime, *, waits: bool) -> None:
        """Refuse what cannot be done, before a second person has to find that out.

        A task without a check is carried out and rolled back if it has to wait; if not, it is
        carried out anyway.
        """
        if self.check:
            self.check(instruction, now)
        elif waits:
            caller = Caller.for_staff(livemode=instruction.livemode, actor="system:check")
            with transaction.atomic():
                self.carry_out(copy(instruction), caller, now)
                transaction.set_rollback(True)


REFUND = "refund"
TOP_UP = "top_up"
REVERSE_TOP_UP = "reverse_top_up"
ADJUST_WALLET = "adjust_wallet"
ADJUST_MERCHANT = "adjust_merchant"
PAY_OUT = "pay_out"
RUN_PAYOUTS = "run_payouts"
PAYOUT_FAILURE = "payout_failure"
PAYOUT_RETURN = "payout_return"
BANK_ENTRY = "bank_entry"
SET_ASIDE = "set_aside"
WAIT_AGAIN = "wait_again"
UNDO_MATCH = "undo_match"
BANK_CREDIT = "bank_credit"
BANK_FILE = "bank_file"
BANK_ACCOUNT = "bank_account"
ERASE_CUSTOMER = "erase_customer"
REMOVE_PASSKEY = "remove_passkey"
UNFREEZE = "unfreeze"
SET_FEE = "set_fee"
ADD_STAFF = "add_staff"
SET_ROLES = "set_roles"
RESET_ACCESS = "reset_access"
REOPEN_ACCOUNT = "reopen_account"
ISSUE_LIVE_KEY = "issue_live_key"
ROLL_LIVE_KEY = "roll_live_key"

# These may go the break-glass way: it moves no money by itself.
BREAKABLE = frozenset({InstructionKind.STAFF, InstructionKind.LIVE_KEY})

TASKS: dict[str, InstructionTask] = {
    REFUND: InstructionTask("Refund", K.REFUND, R.REFUND, money.refund, money.check_refund),
    TOP_UP: InstructionTask("Top-up", K.TOP_UP, R.TOP_UP, money.top_up),
    REVERSE_TOP_UP: InstructionTask(
        "Reversal of a top-up",
        K.ADJUSTMENT,
        R.ADJUST,
        money.reverse,
        always_two=True,
        holder="wallet",
        takes=True,
    ),
    ADJUST_WALLET: InstructionTask(
        "Adjustment of a wallet", K.ADJUSTMENT, R.ADJUST, money.adjust_wallet, holder="wallet"
    ),
    ADJUST_MERCHANT: InstructionTask(
        "Adjustment of a balance", K.ADJUSTMENT, R.ADJUST, money.adjust_merchant, holder="balance"
    ),
    PAY_OUT: InstructionTask("Payout", K.PAYOUT, R.PAY_OUT, payouts.pay_out),
    RUN_PAYOUTS: InstructionTask(
        "Payout run", K.PAYOUT, R.PAY_OUT, payouts.run_payouts, payouts.check_run
    ),
    # Money from nothing, if the bank has paid after all: the limit is that of adjustments.
    PAYOUT_FAILURE: InstructionTask(
        "Refusal of a payout", K.ADJUSTMENT, R.PAY_OUT, payouts.record_failure
    ),
    PAYOUT_RETURN: InstructionTask(
        "Return of a payout", K.ADJUSTMENT, R.PAY_OUT, bank_entries.record_return
    ),
    BANK_ENTRY: InstructionTask(
        "Match of a bank entry",
        K.ADJUSTMENT,
        R.PAY_OUT,
        bank_entries.match_entry_by_hand,
        always_two=True,
    ),
    # It lets payouts leave that the bank may have paid.
    SET_ASIDE: InstructionTask(
        "Setting aside of a bank entry",
        K.ADJUSTMENT,
        R.PAY_OUT,
        bank_entries.set_entry_aside,
        always_two=True,
    ),
    # The next file may match it: a payout that the bank has paid would be given back.
    WAIT_AGAIN: InstructionTask(
        "New explanation of a bank entry",
        K.ADJUSTMENT,
        R.PAY_OUT,
        bank_entries.reopen_order_entry,
        always_two=True,
    ),
    UNDO_MATCH: InstructionTask(
        "Undoing of a match",
        K.ADJUSTMENT,
        R.PAY_OUT,
        bank_entries.undo_entry_match,
        always_two=True,
    ),
    BANK_CREDIT: InstructionTask(
        "Credit of a bank entry",
        K.TOP_UP,
        R.PAY_OUT,
        bank_entries.credit_wallet,
        always_two=True,
        holder="wallet",
    ),
    # The requester may have written the file: it gives money to any wallet and any merchant.
    BANK_FILE: InstructionTask(
        "Import of a bank file",
        K.BANK_FILE,
        R.PAY_OUT,
        bank_uploads.import_file,
        bank_uploads.check_file,
    ),
    BANK_ACCOUNT: InstructionTask(
        "Change of a bank account", K.BANK_ACCOUNT, R.BANK_ACCOUNT, payouts.set_bank_account
    ),
    # Of all that a merchant takes from then on, it moves up to the whole.
    SET_FEE: InstructionTask(
        "Change of a fee", K.ADJUSTMENT, R.FEE, merchants.change_fee, always_two=True
    ),
    ADD_STAFF: InstructionTask("Add staff", K.STAFF, R.STAFF, accounts.add_colleague),
    SET_ROLES: InstructionTask("Set roles", K.STAFF, R.STAFF, accounts.set_roles),
    RESET_ACCESS: InstructionTask("Reset access", K.STAFF, R.STAFF, accounts.reset_access),
    REOPEN_ACCOUNT: InstructionTask("Reopen account", K.STAFF, R.STAFF, accounts.reopen_account),
    ISSUE_LIVE_KEY: InstructionTask(
        "Issue live key", K.LIVE_KEY, R.LIVE_KEYS, merchants.issue_live_key
    ),
    ROLL_LIVE_KEY: InstructionTask(
        "Roll live key", K.LIVE_KEY, R.LIVE_KEYS, merchants.roll_live_key
    ),
    ERASE_CUSTOMER: InstructionTask(
        "Erasure of a customer",
        K.ERASURE,
        R.PERSONAL_DATA,
        personal_data.erase,
        personal_data.check_erasure,
    ),
    # Without a passkey a code by SMS resets the PIN: what proves a caller stands on pages of staff.
    REMOVE_PASSKEY: InstructionTask(
        "Remove passkey",
        K.WALLET_ACCESS,
        R.REMOVE_PASSKEY,
        customers.remove_passkey,
        alone_in_test=True,
    ),
    UNFREEZE: InstructionTask(
        "Unfreeze customer", K.WALLET_ACCESS, R.UNFREEZE, customers.unfreeze_with_approval
    ),
}


def title_of(instruction: Instruction, name: str = "") -> str:
    """Return what was requested: the amount, into or out of what, and whose, if a name is given.

    In a row that was tampered with, it may be the name of no task.
    """
    task = TASKS.get(instruction.task)
    if task is None:  # the row was tampered with
        return instruction.task
    amount = formats.money(instruction.amount, instruction.currency) if instruction.amount else ""
    if amount and task.holder:
        takes = task.takes or instruction.arguments.get("direction") == money.TAKE
        moved = f"{task.title}: {amount} {'out of' if takes else 'into'} the {task.holder}"
        return f"{moved} of {name}" if name else moved
    title = f"{task.title} of {amount}" if amount else task.title
    if instruction.task == SET_FEE:
        names = ("present_fee_basis_points", "fee_basis_points")
        before, after = (formats.percent(instruction.arguments[name]) for name in names)
        title = f"{title} from {before} to {after}"
    return f"{title} ({name})" if name else title


def moves_later(instruction: Instruction) -> bool:
    """Return whether it created a refund or payout, which may still wait for money or the bank."""
    return instruction.task in (REFUND, PAY_OUT) and bool(instruction.result_id)


def state_of(instruction: Instruction, now: datetime) -> str:
    """Return the status, or "approved" or "initiated" if money moves later.

    The page of the refund or payout says if it has.
    """
    if moves_later(instruction):
        return "approved" if instruction.decided_by_id else "initiated"
    return instruction.status_at(now)


def outcome_of(instruction: Instruction, now: datetime) -> str:
    """Return the outcome of a request that someone else decided, or that has expired."""
    return "approved" if moves_later(instruction) else instruction.status_at(now).label


def task_of(name: str, upload: bank_uploads.Upload | None) -> InstructionTask:
    """Return a task; for a bank file, the import of the file parsed before the transaction."""
    task = TASKS[name]
    if name != BANK_FILE:
        return task
    return replace(
        task,
        check=partial(bank_uploads.check_file, upload=upload),
        carry_out=partial(bank_uploads.import_file, upload=upload),
    )
