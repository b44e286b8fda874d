"""Money that came in and fills no wallet by itself: a person says what it is."""

from datetime import datetime

from payouts.bank_words import WordsOfOrders
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, PayoutOrder
from payouts.order_references import in_our_spelling, is_cut_name, is_order_name


def refuse_uncreditable(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for money that came in and can be no customer's."""
    if why := why_uncreditable(entry):
        raise BankEntryUnfit(why)


def why_uncreditable(entry: BankEntry) -> str:
    """Say why money that came in is a charge that the bank gives back, or a payout that came back.

    The latter bears the name of an order of ours. Empty: it may be a customer's.
    """
    if entry.kind != BankEntryKind.CREDIT:
        return ""
    if entry.is_charge:
        return "The bank gives back a charge of its own: set it aside."
    if _is_of_order(in_our_spelling(entry.end_to_end_id)):
        return "It names an order of ours: match it by hand if that came back."
    return ""


def refuse_words_of_order(
    entry: BankEntry, reference: str, *, since: datetime, words: WordsOfOrders
) -> None:
    """Raise BankEntryUnfit where an order of ours that has left bears a reference in its words.

    The bank may send it back with those, and without its name. No payout of before the reference
    was given out holds it, and none that is asked for now may.
    """
    if payout_id := words.payout_with(reference, livemode=entry.livemode, since=since):
        raise BankEntryUnfit(
            f"Payout {payout_id} left with these words: match it by hand if that came back."
        )


def _is_of_order(name: str) -> bool:
    """Return whether a name is an order's; one that may be cut only where an order begins so.

    Customers have references of their own that look like the beginning of a name of ours.
    """
    if is_cut_name(name):
        return PayoutOrder.objects.filter(end_to_end_id__startswith=name).exists()
    return is_order_name(name)
