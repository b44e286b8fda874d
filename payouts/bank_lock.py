"""Serialize bank file imports and payout runs, so that each sees what the other has written.

Each reads before it writes: an import looks up the orders and batches that the bank names, and a
run looks for entries about its payouts. Running concurrently, neither would find anything.
"""

from core.advisory_locks import hold_lock

LOCK = 1_651_076_715


def hold_bank_lock() -> None:
    """Wait for the other, then block it until this transaction ends. Call before any read.

    It is the first lock in the order: entries, payouts and ledger accounts are locked after it.
    """
    hold_lock(LOCK)
