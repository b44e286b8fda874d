"""What an instruction can be about: which right it takes, what is checked, and what then happens.

A task is checked when it is asked for, and again when it is carried out, by the service that does
it: in between, hours may have passed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from backoffice.models import Instruction
from backoffice.roles import InstructionKind, Right
from backoffice.services import (
    accounts,
    bank_entries,
    bank_uploads,
    merchants,
    money,
    payouts,
    personal_data,
)
from merchants.callers import Caller

CarryOut = Callable[[Instruction, Caller, datetime], str]


@dataclass(frozen=True, kw_only=True)
class InstructionTask:
    """`kind` is whose limit counts; `always_two`: a second person is needed for any amount.

    `carry_out` returns the id of what it made.
    """

    title: str
    kind: InstructionKind
    right: Right
    check: Callable[[Instruction, datetime], None]
    carry_out: CarryOut
    always_two: bool = False


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
BANK_CREDIT = "bank_credit"
BANK_FILE = "bank_file"
BANK_ACCOUNT = "bank_account"
ERASE_CUSTOMER = "erase_customer"
ADD_STAFF = "add_staff"
SET_ROLES = "set_roles"
RESET_ACCESS = "reset_access"
REOPEN_ACCOUNT = "reopen_account"
ISSUE_LIVE_KEY = "issue_live_key"
ROLL_LIVE_KEY = "roll_live_key"

# These may go the break-glass way: it moves no money by itself.
BREAKABLE = frozenset({InstructionKind.STAFF, InstructionKind.LIVE_KEY})

TASKS: dict[str, InstructionTask] = {
    REFUND: InstructionTask(
        title="Refund",
        kind=InstructionKind.REFUND,
        right=Right.REFUND,
        check=money.check_refund,
        carry_out=money.refund,
    ),
    TOP_UP: InstructionTask(
        title="Top-up",
        kind=InstructionKind.TOP_UP,
        right=Right.TOP_UP,
        check=money.check_top_up,
        carry_out=money.top_up,
    ),
    REVERSE_TOP_UP: InstructionTask(
        title="Reversal of a top-up",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.ADJUST,
        check=money.check_reversal,
        carry_out=money.reverse,
        always_two=True,
    ),
    ADJUST_WALLET: InstructionTask(
        title="Adjustment of a wallet",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.ADJUST,
        check=money.check_customer,
        carry_out=money.adjust_wallet,
    ),
    ADJUST_MERCHANT: InstructionTask(
        title="Adjustment of a balance",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.ADJUST,
        check=money.check_merchant,
        carry_out=money.adjust_merchant,
    ),
    PAY_OUT: InstructionTask(
        title="Payout",
        kind=InstructionKind.PAYOUT,
        right=Right.PAY_OUT,
        check=payouts.check_pay_out,
        carry_out=payouts.pay_out,
    ),
    RUN_PAYOUTS: InstructionTask(
        title="Payout run",
        kind=InstructionKind.PAYOUT,
        right=Right.PAY_OUT,
        check=payouts.check_run,
        carry_out=payouts.run_payouts,
    ),
    # Money from nothing, if the bank has paid after all: the limit is that of adjustments.
    PAYOUT_FAILURE: InstructionTask(
        title="Return of a payout",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.PAY_OUT,
        check=payouts.check_failure,
        carry_out=payouts.record_failure,
    ),
    PAYOUT_RETURN: InstructionTask(
        title="Return of a paid payout",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.PAY_OUT,
        check=bank_entries.check_return,
        carry_out=bank_entries.record_return,
    ),
    BANK_ENTRY: InstructionTask(
        title="Match of a bank entry",
        kind=InstructionKind.ADJUSTMENT,
        right=Right.PAY_OUT,
        check=bank_entries.check_match,
        carry_out=bank_entries.match_entry_by_hand,
        always_two=True,
    ),
    BANK_CREDIT: InstructionTask(
        title="Credit of a bank entry",
        kind=InstructionKind.TOP_UP,
        right=Right.PAY_OUT,
        check=bank_entries.check_credit,
        carry_out=bank_entries.credit_wallet,
        always_two=True,
    ),
    # The requester may have written the file: it gives money to any wallet and any merchant.
    BANK_FILE: InstructionTask(
        title="Import of a bank file",
        kind=InstructionKind.BANK_FILE,
        right=Right.PAY_OUT,
        check=bank_uploads.check_file,
        carry_out=bank_uploads.import_file,
        always_two=True,
    ),
    BANK_ACCOUNT: InstructionTask(
        title="Change of a bank account",
        kind=InstructionKind.BANK_ACCOUNT,
        right=Right.BANK_ACCOUNT,
        check=payouts.check_bank_account,
        carry_out=payouts.set_bank_account,
        always_two=True,
    ),
    ADD_STAFF: InstructionTask(
        title="Add staff",
        kind=InstructionKind.STAFF,
        right=Right.STAFF,
        check=accounts.check_addition,
        carry_out=accounts.add_colleague,
        always_two=True,
    ),
    SET_ROLES: InstructionTask(
        title="Set roles",
        kind=InstructionKind.STAFF,
        right=Right.STAFF,
        check=accounts.check_colleague,
        carry_out=accounts.set_roles,
        always_two=True,
    ),
    RESET_ACCESS: InstructionTask(
        title="Reset access",
        kind=InstructionKind.STAFF,
        right=Right.STAFF,
        check=accounts.check_colleague,
        carry_out=accounts.reset_access,
        always_two=True,
    ),
    REOPEN_ACCOUNT: InstructionTask(
        title="Reopen account",
        kind=InstructionKind.STAFF,
        right=Right.STAFF,
        check=accounts.check_colleague,
        carry_out=accounts.reopen_account,
        always_two=True,
    ),
    ISSUE_LIVE_KEY: InstructionTask(
        title="Issue live key",
        kind=InstructionKind.LIVE_KEY,
        right=Right.LIVE_KEYS,
        check=merchants.check_new_live_key,
        carry_out=merchants.issue_live_key,
        always_two=True,
    ),
    ROLL_LIVE_KEY: InstructionTask(
        title="Roll live key",
        kind=InstructionKind.LIVE_KEY,
        right=Right.LIVE_KEYS,
        check=merchants.check_rolled_key,
        carry_out=merchants.roll_live_key,
        always_two=True,
    ),
    ERASE_CUSTOMER: InstructionTask(
        title="Erasure of a customer",
        kind=InstructionKind.ERASURE,
        right=Right.PERSONAL_DATA,
        check=personal_data.check_erasure,
        carry_out=personal_data.erase,
        always_two=True,
    ),
}


def task_of(name: str, upload: bank_uploads.Upload | None) -> InstructionTask:
    """Return a task; the import of a bank file with the file, parsed before the transaction."""
    task = TASKS[name]
    if name != BANK_FILE:
        return task
    return replace(
        task,
        check=partial(bank_uploads.check_file, upload=upload),
        carry_out=partial(bank_uploads.import_file, upload=upload),
    )
