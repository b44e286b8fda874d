"""Money that came in and fills no wallet by itself: a person says what it is."""

from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, PayoutOrder
from payouts.order_references import in_our_spelling, is_cut_name, is_order_name


def refuse_uncreditable(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for a charge that the bank gives back, and a payout that came back.

    The latter bears the name of an order of ours.
    """
    if entry.kind != BankEntryKind.CREDIT:
        return
    if entry.is_charge:
        raise BankEntryUnfit("The bank gives back a charge of its own: set it aside.")
    if _is_of_order(in_our_spelling(entry.end_to_end_id)):
        raise BankEntryUnfit("It names an order of ours: match it by hand if that came back.")


def _is_of_order(name: str) -> bool:
    """Return whether a name is an order's; one that may be cut only where an order begins so.

    Customers have references of their own that look like the beginning of a name of ours.
    """
    if is_cut_name(name):
        return PayoutOrder.objects.filter(end_to_end_id__startswith=name).exists()
    return is_order_name(name)
