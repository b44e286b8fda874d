"""A file of the bank and a run to it take turns, so that each sees what the other has written.

Each looks before it writes: an import at what the bank's names are here, which a colleague has been
shown, and a run at what the bank says of it. Beside each other, neither would find anything.
"""

from core.advisory_locks import hold_lock

LOCK = 1_651_076_715


def take_turn() -> None:
    """Wait for the other, and let it wait until this transaction ends; called before any look.

    It is the first lock of all: entries, payouts and ledger accounts are locked after it.
    """
    hold_lock(LOCK)
