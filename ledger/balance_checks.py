"""Every balance, proved from the transfers by statements that run in the database."""

from collections.abc import Iterator
from typing import Any

from ledger.models import Purpose
from ledger.reconciliation import rows_of

# The sum of each account's transfers (exact), and of those that its balance includes (folded).
SUMS = """
    SELECT account.id, account.owner, account.purpose, account.currency, account.livemode,
        account.balance,
        COALESCE(moved.total, 0) AS exact,
        COALESCE(moved.total, 0)
            - CASE WHEN account.purpose = %(wallet)s THEN 0 ELSE COALESCE(moved.waiting, 0) END
            AS folded
    FROM ledger_account AS account
    LEFT JOIN (
        SELECT leg.account_id, SUM(leg.amount) AS total,
            SUM(CASE WHEN unsealed.transfer_id IS NULL THEN 0 ELSE leg.amount END) AS waiting
        FROM (
            SELECT id, credit_account_id AS account_id, amount FROM ledger_transfer
            UNION ALL
            SELECT id, debit_account_id, -amount FROM ledger_transfer
        ) AS leg
        LEFT JOIN ledger_unsealedtransfer AS unsealed ON unsealed.transfer_id = leg.id
        GROUP BY leg.account_id
    ) AS moved ON moved.account_id = account.id
"""

WRONG_BALANCES = f"""
    SELECT id, owner, purpose, currency, livemode, balance, folded, exact, differs, is_below_zero
    FROM (
        SELECT summed.*, balance <> folded AS differs,
            exact < 0 AND purpose <> %(funding)s AS is_below_zero
        FROM ({SUMS}) AS summed
    ) AS proven
    WHERE differs OR is_below_zero ORDER BY id
"""  # noqa: S608  # no part of it comes from outside

# An account's balance after each seal: replayed, the chain never goes below zero.
BELOW_ZERO_ON_THE_WAY = """
    SELECT account.id, account.owner, account.purpose, account.currency, account.livemode,
        MIN(step.sequence)
    FROM (
        SELECT account_id, sequence,
            SUM(amount) OVER (PARTITION BY account_id ORDER BY sequence) AS balance
        FROM (
            SELECT credit_account_id AS account_id, sequence, amount
            FROM ledger_seal JOIN ledger_transfer ON ledger_transfer.id = transfer_id
            UNION ALL
            SELECT debit_account_id, sequence, -amount
            FROM ledger_seal JOIN ledger_transfer ON ledger_transfer.id = transfer_id
        ) AS leg
    ) AS step
    JOIN ledger_account AS account ON account.id = step.account_id
    WHERE step.balance < 0 AND account.purpose <> %(funding)s
    GROUP BY account.id, account.owner, account.purpose, account.currency, account.livemode
    ORDER BY account.id
"""


def check_balances() -> Iterator[str]:
    """Report every account whose balance is not the sum of its transfers, or is below zero."""
    for *account, balance, folded, exact, differs, is_below_zero in _rows(WRONG_BALANCES):
        if differs:
            yield f"{_name(account)} has balance {balance}; its transfers make {folded}."
        if is_below_zero:
            yield f"{_name(account)} is below zero: {exact}."
    for *account, sequence in _rows(BELOW_ZERO_ON_THE_WAY):
        yield f"{_name(account)} was below zero at seal {sequence}."


def _rows(statement: str) -> Iterator[tuple[Any, ...]]:
    return rows_of(statement, {"wallet": Purpose.WALLET, "funding": Purpose.FUNDING})


def _name(account: list[object]) -> str:
    pk, owner, purpose, currency, livemode = account
    return f"Account {pk} ({owner} {purpose} {currency} {'live' if livemode else 'test'})"
