"""Compare what the bank has moved with what was ordered, apart from bank charges."""

from collections.abc import Sequence

from core.money import decimal_text
from payouts.errors import BankEntryUnfit
from payouts.models import CAME_IN, BankEntry, BankEntryKind, Payout
from payouts.statuses import PayoutStatus


def is_amount_of(entry: BankEntry, payouts: Sequence[Payout]) -> bool:
    """Return whether a debit is exactly these payouts, with or without the bank's stated charge."""
    ordered = sum(payout.amount for payout in payouts)
    return entry.amount is not None and entry.amount - ordered in (0, entry.charge_amount)


def charge_in(entry: BankEntry, payouts: Sequence[Payout]) -> int:
    """Return by how many cents a debit exceeds the payouts, or a credit falls short; else 0."""
    ordered = sum(payout.amount for payout in payouts)
    if (
        not entry.amount
        or entry.is_charge
        or {payout.currency for payout in payouts} != {entry.currency}
    ):
        return 0
    if entry.kind in CAME_IN:
        return max(ordered - entry.amount, 0)
    return max(entry.amount - ordered, 0) if entry.kind == BankEntryKind.DEBIT else 0


def booked_with_charge(entry: BankEntry, every: Sequence[Payout]) -> tuple[list[Payout], int]:
    """Return the payouts of a batch that a debit has booked, and the charge that a person has seen.

    All of the batch if the amount is enough for it, or else those not refused. Raises
    BankEntryUnfit if the charge is large enough to contain a refused order.
    """
    refused = [payout.amount for payout in every if payout.status == PayoutStatus.FAILED]
    whole = charge_in(entry, every) > 0 or is_amount_of(entry, every)
    booked = [payout for payout in every if whole or payout.status != PayoutStatus.FAILED]
    charge = charge_in(entry, booked)
    if refused and charge >= min(refused):
        raise BankEntryUnfit("The charge would be as much as an order that was refused, or more.")
    return booked, charge


def charge_note(charge: int, currency: str) -> str:
    """Return the note on a charge in a debit that a person has seen."""
    return f"With a charge of the bank: {currency} {decimal_text(charge, currency)}."


def refuse_other_amount(
    entry: BankEntry, kind: BankEntryKind, payouts: Sequence[Payout], charge: int
) -> None:
    """Refuse an entry whose amount is not that of the payouts, apart from a bank charge.

    Raises BankEntryUnfit.
    """
    if entry.amount is None:
        return
    ordered = sum(payout.amount for payout in payouts)
    came_in = kind == BankEntryKind.RETURN
    # A charge increases a debit and reduces a return.
    moved = entry.amount + charge if came_in else entry.amount - charge
    if {payout.currency for payout in payouts} != {entry.currency} or not ordered:
        raise BankEntryUnfit("The amount or the currency is not that of the order.")
    if ordered in (moved, moved - entry.charge_amount):
        return
    charged = ordered - moved if came_in else moved - ordered
    if charged > 0 and kind in (BankEntryKind.DEBIT, BankEntryKind.RETURN):
        _refuse_charged(len(payouts), charged, entry.currency, came_in=came_in)
    raise BankEntryUnfit("The amount or the currency is not that of the order.")


def _refuse_charged(count: int, charged: int, currency: str, *, came_in: bool) -> None:
    """Raise BankEntryUnfit with advice on matching an entry that may include a charge."""
    if came_in and count > 1:
        raise BankEntryUnfit(
            f"It is part of a run of {count} payouts: ask the bank which one came back."
        )
    words = f"{currency} {decimal_text(charged, currency)}"
    less = f"that came back is {words} less" if came_in else f"that left is {words} more"
    raise BankEntryUnfit(
        f"The amount {less} than the {'payout' if count == 1 else 'payouts'}, as if the bank had"
        " charged for it: if so, match it by hand, and say who bears the charge."
    )
