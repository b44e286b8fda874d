"""Whether what the bank has moved is what was ordered, but for what the bank has charged for it."""

from collections.abc import Sequence

from core.money import decimal_text
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, Payout

CAME_IN = frozenset({BankEntryKind.RETURN, BankEntryKind.CREDIT})


def is_amount_of(entry: BankEntry, payouts: Sequence[Payout]) -> bool:
    """Return whether a debit is exactly these payouts, or with the charge that the bank names."""
    ordered = sum(payout.amount for payout in payouts)
    return entry.amount is not None and entry.amount - ordered in (0, entry.charge_amount)


def charge_in(entry: BankEntry, payouts: Sequence[Payout]) -> int:
    """Return by how much more than the payouts has left, or less came back: 0 if by nothing."""
    ordered = sum(payout.amount for payout in payouts)
    if not entry.amount or {payout.currency for payout in payouts} != {entry.currency}:
        return 0
    charged = ordered - entry.amount if entry.kind in CAME_IN else entry.amount - ordered
    return max(charged, 0)


def refuse_other_amount(
    entry: BankEntry, kind: BankEntryKind, payouts: Sequence[Payout], charge: int
) -> None:
    """Refuse an entry whose amount is not that of the payouts, but for a charge of the bank.

    Raises BankEntryUnfit.
    """
    if entry.amount is None:
        return
    ordered = sum(payout.amount for payout in payouts)
    came_in = kind == BankEntryKind.RETURN
    # A charge makes more of a debit, and less of a return.
    moved = entry.amount + charge if came_in else entry.amount - charge
    if {payout.currency for payout in payouts} != {entry.currency} or not ordered:
        raise BankEntryUnfit("The amount or the currency is not that of the order.")
    if ordered in (moved, moved - entry.charge_amount):
        return
    charged = ordered - moved if came_in else moved - ordered
    if charged > 0:
        _refuse_charged(len(payouts), charged, entry.currency, came_in=came_in)
    raise BankEntryUnfit("The amount or the currency is not that of the order.")


def _refuse_charged(count: int, charged: int, currency: str, *, came_in: bool) -> None:
    """Say how a person matches what the bank may have charged for. Raises BankEntryUnfit."""
    if came_in and count > 1:
        raise BankEntryUnfit(
            f"It is a part of a run of {count} payouts: the bank knows which came back."
        )
    words = f"{currency} {decimal_text(charged, currency)}"
    less = f"that came back is {words} less" if came_in else f"that left is {words} more"
    raise BankEntryUnfit(
        f"The amount {less} than the {'payout' if count == 1 else 'payouts'}, as if the bank had"
        " charged for it: if so, match it by hand, and say who bears the charge."
    )
