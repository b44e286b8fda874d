"""Who may do what, and up to which amount alone: written down a second time, right by right."""

import pytest

from backoffice.roles import RIGHTS, InstructionKind, Right, Role, limit_of
from backoffice.services.instruction_kinds import BREAKABLE, TASKS

R = Right
V, S, F, D, A = Role.VIEWER, Role.SUPPORT, Role.FINANCE, Role.DEVELOPER, Role.ADMINISTRATOR
MAY: dict[Right, set[Role]] = {
    R.VIEW_TRADE: {V, S, F, D, A},
    R.VIEW_WEBHOOKS: {V, S, F, D, A},
    R.VIEW_KEYS: {S, D, A},
    R.VIEW_PAYOUTS: {V, S, F, A},
    R.VIEW_LEDGER: {F, A},
    R.VIEW_AUDIT: {F, A},
    R.VIEW_STAFF: {A},
    R.NOTE: {S, F, D, A},
    R.CANCEL: {S, F, A},
    R.RECEIPT: {S, F, A},
    R.ANSWER: {S, F, A},
    R.MESSAGE: {S, A},
    R.LINK: {S, A},
    R.RESEND: {S, D, A},
    R.REVEAL: {S, F, A},
    R.UNLOCK_PIN: {S, A},
    R.REMOVE_PASSKEY: {S, F, A},
    R.FREEZE: {S, F, A},
    R.UNFREEZE: {F, A},
    R.PERSONAL_DATA: {F, A},
    R.REFUND: {S, F, A},
    R.GIVE_UP: {F, A},
    R.TOP_UP: {F, A},
    R.TAKE_CASH: {F, A},
    R.ADJUST: {F, A},
    R.PAY_OUT: {F, A},
    R.APPROVE: {F, A},
    R.EXPORT: {F, A},
    R.BANK_ACCOUNT: {F, A},
    R.FEE: {F, A},
    R.HOLIDAYS: {F, A},
    R.VERIFY_MERCHANT: {F, A},
    R.SUSPEND_MERCHANT: {F, A},
    R.KEYS: {D, A},
    R.LIVE_KEYS: {A},
    R.ENDPOINTS: {D, A},
    R.STAFF: {A},
}
NONE = (0, 0)
# Each amount, and what a day may add up to, in the smallest unit.
LIMITS: dict[InstructionKind, dict[Role, tuple[int, int]]] = {
    InstructionKind.REFUND: {S: (10_000, 50_000), F: (100_000, 1_000_000), A: (100_000, 1_000_000)},
    InstructionKind.TOP_UP: {F: (5_000, 20_000), A: (5_000, 20_000)},
    InstructionKind.ADJUSTMENT: {F: (5_000, 20_000), A: (5_000, 20_000)},
    InstructionKind.PAYOUT: {F: (500_000, 2_000_000), A: (500_000, 2_000_000)},
    InstructionKind.BANK_ACCOUNT: {},
    InstructionKind.STAFF: {},
    InstructionKind.LIVE_KEY: {},
    InstructionKind.ERASURE: {},
    InstructionKind.BANK_FILE: {},
    InstructionKind.WALLET_ACCESS: {},
}


@pytest.mark.parametrize("right", Right)
def test_each_right_is_that_of_these_roles(right: Right) -> None:
    assert {role for role in Role if right in RIGHTS[role]} == MAY[right]


@pytest.mark.parametrize("kind", InstructionKind)
@pytest.mark.parametrize("role", Role)
def test_each_role_has_these_limits(role: Role, kind: InstructionKind) -> None:
    limit = limit_of(frozenset({role}), kind)

    assert (limit.each, limit.a_day) == LIMITS[kind].get(role, NONE)


def test_of_two_roles_the_wider_limit_counts_and_of_none_nothing() -> None:
    assert limit_of(frozenset({S, F}), InstructionKind.REFUND).each == 100_000
    assert limit_of(frozenset(), InstructionKind.REFUND).each == 0


K = InstructionKind
# Whose limit counts, which right it takes, and whether it takes two within the limit, too.
ASKED: dict[str, tuple[InstructionKind, Right, bool]] = {
    "refund": (K.REFUND, R.REFUND, False),
    "top_up": (K.TOP_UP, R.TOP_UP, False),
    "reverse_top_up": (K.ADJUSTMENT, R.ADJUST, True),
    "adjust_wallet": (K.ADJUSTMENT, R.ADJUST, False),
    "adjust_merchant": (K.ADJUSTMENT, R.ADJUST, False),
    "pay_out": (K.PAYOUT, R.PAY_OUT, False),
    "run_payouts": (K.PAYOUT, R.PAY_OUT, False),
    "payout_failure": (K.ADJUSTMENT, R.PAY_OUT, False),
    "payout_return": (K.ADJUSTMENT, R.PAY_OUT, False),
    "bank_entry": (K.ADJUSTMENT, R.PAY_OUT, True),
    "set_aside": (K.ADJUSTMENT, R.PAY_OUT, True),
    "wait_again": (K.ADJUSTMENT, R.PAY_OUT, True),
    "undo_match": (K.ADJUSTMENT, R.PAY_OUT, True),
    "bank_credit": (K.TOP_UP, R.PAY_OUT, True),
    "bank_file": (K.BANK_FILE, R.PAY_OUT, False),
    "bank_account": (K.BANK_ACCOUNT, R.BANK_ACCOUNT, False),
    "set_fee": (K.ADJUSTMENT, R.FEE, True),
    "add_staff": (K.STAFF, R.STAFF, False),
    "set_roles": (K.STAFF, R.STAFF, False),
    "reset_access": (K.STAFF, R.STAFF, False),
    "reopen_account": (K.STAFF, R.STAFF, False),
    "issue_live_key": (K.LIVE_KEY, R.LIVE_KEYS, False),
    "roll_live_key": (K.LIVE_KEY, R.LIVE_KEYS, False),
    "erase_customer": (K.ERASURE, R.PERSONAL_DATA, False),
    "remove_passkey": (K.WALLET_ACCESS, R.REMOVE_PASSKEY, False),
    "unfreeze": (K.WALLET_ACCESS, R.UNFREEZE, False),
}


def test_each_task_is_of_this_kind_takes_this_right_and_so_many_people() -> None:
    asked = {name: (task.kind, task.right, task.always_two) for name, task in TASKS.items()}

    assert asked == ASKED
    assert {name for name, task in TASKS.items() if task.alone_in_test} == {"remove_passkey"}
    assert {name for name, task in TASKS.items() if task.takes} == {"reverse_top_up"}
    assert {name: task.holder for name, task in TASKS.items() if task.holder} == {
        **dict.fromkeys(("reverse_top_up", "adjust_wallet", "bank_credit"), "wallet"),
        "adjust_merchant": "balance",
    }
    assert {K.STAFF, K.LIVE_KEY} == BREAKABLE
