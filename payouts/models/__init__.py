"""The tables of this room."""

from payouts.models.accounts import BankAccount, BankAccountQuerySet
from payouts.models.batches import Continuity, PayoutOrder
from payouts.models.calendar import BankHoliday, SettledPeriod
from payouts.models.payouts import (
    LONGEST_FAILURE_CODE,
    LONGEST_FAILURE_MESSAGE,
    LONGEST_REFERENCE,
    Payout,
    PayoutBatch,
    PayoutOrigin,
    PayoutQuerySet,
    PayoutTransition,
)
from payouts.models.statements import Statement, StatementLine

__all__ = [
    "LONGEST_FAILURE_CODE",
    "LONGEST_FAILURE_MESSAGE",
    "LONGEST_REFERENCE",
    "BankAccount",
    "BankAccountQuerySet",
    "BankHoliday",
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
