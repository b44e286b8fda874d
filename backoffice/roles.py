"""Who may do what in the back office, and up to which amount. This file is the full definition.

A role is a group of users, created by a migration. Its rights are written here and nowhere else: no
one can click a right together that no reviewer has seen.
"""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The roles of staff, by the name of their group."""

    VIEWER = "Viewer"
    SUPPORT = "Support"
    FINANCE = "Finance"
    DEVELOPER = "Developer"
    ADMINISTRATOR = "Administrator"


class Right(StrEnum):
    """What staff can be allowed to do, one word each."""

    VIEW_TRADE = "view payments, refunds, links, customers and merchants"
    VIEW_WEBHOOKS = "view webhooks, deliveries and events"
    VIEW_KEYS = "view API keys"
    VIEW_PAYOUTS = "view payouts and bank accounts"
    VIEW_LEDGER = "view accounts and transfers"
    VIEW_AUDIT = "view the audit trail"
    VIEW_STAFF = "view staff"

    NOTE = "write notes"
    CANCEL = "cancel open payments"
    RECEIPT = "send receipts again"
    ANSWER = "answer what customers report"
    MESSAGE = "send again messages that failed"
    LINK = "create, send and end payment links"
    RESEND = "send webhooks again"
    REVEAL = "reveal a phone number or an e-mail address"
    UNLOCK_PIN = "unlock a PIN"
    REMOVE_PASSKEY = "remove a passkey"
    FREEZE = "freeze a customer"
    UNFREEZE = "unfreeze a customer"

    PERSONAL_DATA = "export and erase a person's data"

    REFUND = "refund payments"
    GIVE_UP = "give up refunds that wait for money"
    TOP_UP = "put money into wallets"
    TAKE_CASH = "take cash that customers add to their wallets"
    ADJUST = "adjust wallets and merchants' balances"
    PAY_OUT = "pay merchants out"
    APPROVE = "approve what others ask for"
    EXPORT = "export lists"
    BANK_ACCOUNT = "change bank accounts"
    FEE = "set fees"
    HOLIDAYS = "keep the list of bank holidays"

    VERIFY_MERCHANT = "verify merchants"
    SUSPEND_MERCHANT = "suspend merchants"
    KEYS = "issue and roll test API keys, revoke any"
    LIVE_KEYS = "issue and roll live API keys"
    ENDPOINTS = "switch webhook endpoints on and off"
    STAFF = "manage staff"


class InstructionKind(StrEnum):
    """What may need a second person: always, or above a limit."""

    REFUND = "refund"
    TOP_UP = "top_up"
    ADJUSTMENT = "adjustment"
    PAYOUT = "payout"
    BANK_ACCOUNT = "bank_account"
    STAFF = "staff"
    LIVE_KEY = "live_key"
    ERASURE = "erasure"
    BANK_FILE = "bank_file"
    WALLET_ACCESS = "wallet_access"


@dataclass(frozen=True)
class ApprovalLimit:
    """How much one person may move alone, in the smallest unit of a currency.

    `a_day` is the total within 24 hours, so that splitting gains nothing.
    """

    each: int
    a_day: int


R = Right

_TRADE = frozenset({R.VIEW_TRADE, R.VIEW_WEBHOOKS})

# What takes a caller on the phone, and is said to them.
_DESK = _TRADE | {
    R.VIEW_PAYOUTS,
    R.NOTE,
    R.CANCEL,
    R.RECEIPT,
    R.ANSWER,
    R.REVEAL,
    R.FREEZE,
    R.REFUND,
}

RIGHTS: dict[Role, frozenset[Right]] = {
    Role.VIEWER: _TRADE | {R.VIEW_PAYOUTS},
    Role.SUPPORT: _DESK
    | {R.VIEW_KEYS, R.MESSAGE, R.LINK, R.RESEND, R.UNLOCK_PIN, R.REMOVE_PASSKEY},
    Role.FINANCE: _DESK
    | {
        R.VIEW_LEDGER,
        R.VIEW_AUDIT,
        R.REMOVE_PASSKEY,
        R.UNFREEZE,
        R.PERSONAL_DATA,
        R.GIVE_UP,
        R.TOP_UP,
        R.TAKE_CASH,
        R.ADJUST,
        R.PAY_OUT,
        R.APPROVE,
        R.EXPORT,
        R.BANK_ACCOUNT,
        R.FEE,
        R.HOLIDAYS,
        R.VERIFY_MERCHANT,
        R.SUSPEND_MERCHANT,
    },
    Role.DEVELOPER: _TRADE | {R.VIEW_KEYS, R.NOTE, R.RESEND, R.KEYS, R.ENDPOINTS},
    Role.ADMINISTRATOR: frozenset(Right),
}

_CAREFUL = {
    InstructionKind.REFUND: ApprovalLimit(each=100_000, a_day=1_000_000),
    InstructionKind.TOP_UP: ApprovalLimit(each=5_000, a_day=20_000),
    InstructionKind.ADJUSTMENT: ApprovalLimit(each=5_000, a_day=20_000),
    InstructionKind.PAYOUT: ApprovalLimit(each=500_000, a_day=2_000_000),
}
NOTHING = ApprovalLimit(each=0, a_day=0)

LIMITS: dict[Role, dict[InstructionKind, ApprovalLimit]] = {
    Role.VIEWER: {},
    Role.SUPPORT: {InstructionKind.REFUND: ApprovalLimit(each=10_000, a_day=50_000)},
    Role.FINANCE: _CAREFUL,
    Role.DEVELOPER: {},
    Role.ADMINISTRATOR: _CAREFUL,
}
# Of these, one person alone may move some; anything else always takes two.
LIMITED = frozenset(kind for limits in LIMITS.values() for kind in limits)
# The right that viewing a request takes, by its task: some name what not all staff may see. Not
# declared with the tasks: the catalog of resources needs it, and services import the catalog.
_TASKS_BY_RIGHT = {
    Right.VIEW_PAYOUTS: (
        "pay_out",
        "run_payouts",
        "payout_failure",
        "payout_return",
        "bank_entry",
        "set_aside",
        "wait_again",
        "undo_match",
        "bank_credit",
        "bank_file",
        "bank_account",
    ),
    Right.VIEW_STAFF: ("add_staff", "set_roles", "reset_access", "reopen_account"),
}
REQUEST_RIGHTS = {task: right for right, tasks in _TASKS_BY_RIGHT.items() for task in tasks}


def limit_of(roles: frozenset[Role], kind: InstructionKind) -> ApprovalLimit:
    """Return the highest limit of any of the roles."""
    limits = [LIMITS[role].get(kind, NOTHING) for role in roles]
    return max(limits, key=lambda limit: limit.each, default=NOTHING)


def viewing_right(task: str) -> Right:
    """Return the right that viewing requests for a task takes."""
    return REQUEST_RIGHTS.get(task, Right.VIEW_TRADE)
