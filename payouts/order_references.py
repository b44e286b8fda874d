"""The names under which the bank knows our orders, and the payouts that it speaks of already."""

import hashlib

from payouts.models import BankEntry, Payout, PayoutQuerySet

# Banks take at most 35 characters; a prefix and 32 hexadecimal ones are 128 bits.
REFERENCE_CHARACTERS = 32
BATCH_PREFIX, ORDER_PREFIX = "B-", "E-"
DIGEST = f"[0-9a-f]{{{REFERENCE_CHARACTERS}}}$"


def end_to_end_id(payout: Payout) -> str:
    """Name a payout to the bank by the statement that it pays out, whatever else is known of it.

    A database set back to an earlier state would schedule the payout of that statement again, under
    another id: the bank sees the same reference and refuses to pay it twice.
    """
    place = f"{payout.statement.account_id} {payout.statement.number}"
    text = f"{payout.merchant_id} {payout.currency} {payout.livemode} {place}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{ORDER_PREFIX}{digest[:REFERENCE_CHARACTERS]}"


def held_back(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return which of these the bank speaks of in an entry that waits for a person.

    They may have left already: before a restore that was noticed late, or whose files were.
    """
    waiting = BankEntry.objects.unmatched().filter(livemode=livemode)
    of_orders = waiting.filter(end_to_end_id__startswith=ORDER_PREFIX)
    told = set(of_orders.values_list("end_to_end_id", flat=True))
    if not told:
        return set()
    return {each.pk for each in payouts.select_related("statement") if end_to_end_id(each) in told}
