"""Incoming money that fills no wallet automatically: a person decides what it is."""

from datetime import datetime

from payouts.bank_words import WordsOfOrders
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, PayoutOrder
from payouts.order_references import is_order_reference, is_truncated_reference, normalize_reference


def refuse_uncreditable(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for incoming money that cannot be a customer's."""
    if why := why_uncreditable(entry):
        raise BankEntryUnfit(why)


def why_uncreditable(entry: BankEntry) -> str:
    """Return why incoming money cannot be a customer's; empty if it may be.

    That is a charge that the bank refunds, or a returned payout, which names one of our orders.
    """
    if entry.kind != BankEntryKind.CREDIT:
        return ""
    if entry.is_charge:
        return "The bank is refunding one of its own charges: set it aside."
    if _is_of_order(normalize_reference(entry.end_to_end_id)):
        return "It names one of our orders: if that came back, match it by hand."
    return ""


def refuse_words_of_order(
    entry: BankEntry, reference: str, *, since: datetime, words: WordsOfOrders
) -> None:
    """Raise BankEntryUnfit if the text of an order that has left contains this reference.

    The bank may return it with that text but without the order's own reference. No payout from
    before the reference was issued contains it, and new payouts are refused if they do.
    """
    if payout_id := words.payout_with(reference, livemode=entry.livemode, since=since):
        raise BankEntryUnfit(
            f"Payout {payout_id} was sent with this text: if it came back, match it by hand."
        )


def _is_of_order(name: str) -> bool:
    """Return whether this is an order's reference; a truncated one must begin an existing order's.

    Customers have references of their own that look like the beginning of one of ours.
    """
    if is_truncated_reference(name):
        return PayoutOrder.objects.filter(end_to_end_id__startswith=name).exists()
    return is_order_reference(name)
