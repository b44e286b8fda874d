"""The tables of this room."""

from payouts.models.account_statements import (
    AccountStatement,
    AccountStatementPart,
    AccountStatementQuerySet,
)
from payouts.models.accounts import AccountState, BankAccount, BankAccountQuerySet
from payouts.models.bank import (
    BankEntry,
    BankEntryKind,
    BankEntryQuerySet,
    BankEntryState,
)
from payouts.models.bank_files import BankFile, BankSource, BankStatement
from payouts.models.batches import Continuity, PayoutOrder
from payouts.models.calendar import BankHoliday, SettledPeriod
from payouts.models.payouts import (
    MAX_BANK_REFERENCE,
    MAX_FAILURE_CODE,
    MAX_FAILURE_MESSAGE,
    Payout,
    PayoutBatch,
    PayoutOrigin,
    PayoutQuerySet,
    PayoutTransition,
)
from payouts.models.statements import Statement, StatementLine

__all__ = [
    "MAX_BANK_REFERENCE",
    "MAX_FAILURE_CODE",
    "MAX_FAILURE_MESSAGE",
    "AccountState",
    "AccountStatement",
    "AccountStatementPart",
    "AccountStatementQuerySet",
    "BankAccount",
    "BankAccountQuerySet",
    "BankEntry",
    "BankEntryKind",
    "BankEntryQuerySet",
    "BankEntryState",
    "BankFile",
    "BankHoliday",
    "BankSource",
    "BankStatement",
    "Continuity",
    "Payout",
    "PayoutBatch",
    "PayoutOrder",
    "PayoutOrigin",
    "PayoutQuerySet",
    "PayoutTransition",
    "SettledPeriod",
    "Statement",
    "StatementLine",
]
