"""Money that came in and fills no wallet by itself: a person says what it is."""

from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind
from payouts.order_references import is_order_name


def refuse_uncreditable(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for a charge that the bank gives back, and a payout that came back.

    The latter bears the name of an order of ours.
    """
    if entry.kind != BankEntryKind.CREDIT:
        return
    if entry.is_charge:
        raise BankEntryUnfit("The bank gives back a charge of its own: set it aside.")
    if is_order_name(entry.end_to_end_id):
        raise BankEntryUnfit("It names an order of ours: match it by hand if that came back.")
