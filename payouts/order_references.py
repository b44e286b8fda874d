"""The names under which the bank knows our orders, and the payouts that it speaks of already."""

import hashlib
import re

from payouts.models import BankEntry, BankEntryKind, Payout, PayoutOrder, PayoutQuerySet
from payouts.statuses import PayoutStatus

# Banks take at most 35 characters; a prefix and 32 hexadecimal ones are 128 bits.
REFERENCE_CHARACTERS = 32
BATCH_PREFIX, ORDER_PREFIX = "B-", "E-"
# What the bank says of an order that has left, in statements and in status reports.
_LEFT = (BankEntryKind.DEBIT, BankEntryKind.SETTLED)
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


def is_order_name(reference: str) -> bool:
    """Return whether a reference is that of an order, or has the form of one."""
    if re.match(f"{ORDER_PREFIX}{DIGEST}", reference, re.IGNORECASE):
        return True
    return bool(reference) and PayoutOrder.objects.filter(end_to_end_id=reference).exists()


def spoken_of(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return which of these the bank speaks of in an entry that waits for a person.

    They may have left already: before a restore that was noticed late, or whose files were.
    """
    waiting = BankEntry.objects.unmatched().filter(livemode=livemode)
    of_orders = waiting.filter(end_to_end_id__startswith=ORDER_PREFIX)
    told = set(of_orders.values_list("end_to_end_id", flat=True))
    if not told:
        return set()
    return {each.pk for each in payouts.select_related("statement") if end_to_end_id(each) in told}


def held_back(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return which of these do not leave until a person has explained what the bank says.

    It speaks of them, or has booked an earlier payout of the merchant otherwise than we know: what
    it has paid may be in the balance again, and so in the next payout.
    """
    held = spoken_of(payouts, livemode=livemode)
    if contradicted := _contradicted(livemode=livemode):
        owners = {owner for owner, _ in contradicted}
        rows = payouts.filter(merchant__in=owners).values_list("pk", "merchant_id", "currency")
        held |= {pk for pk, *place in rows if tuple(place) in contradicted}
    return held


def contradiction_of(payout: Payout) -> str:
    """Return the id of the bank's entry that keeps a merchant's payouts from leaving, if any."""
    found = _contradicted(livemode=payout.livemode)
    return found.get((payout.merchant_id, payout.currency), "")


def _contradicted(*, livemode: bool) -> dict[tuple[str, str], str]:
    """Return merchant and currency of each payout that has left, as an entry that waits says.

    With that entry: a debit or a settlement. One of a whole run is about what was refused of it.
    """
    waiting = BankEntry.objects.unmatched().besides_charges()
    said = waiting.filter(livemode=livemode, kind__in=_LEFT)
    orders = dict(said.exclude(end_to_end_id="").values_list("end_to_end_id", "pk"))
    runs = dict(said.filter(end_to_end_id="").values_list("message_reference", "pk"))
    payouts = Payout.objects.filter(livemode=livemode).order_by()
    named = payouts.filter(order__end_to_end_id__in=orders)
    refused = payouts.filter(batch__message_id__in=runs, status=PayoutStatus.FAILED)
    found = {}
    for rows, name, entry_of in (
        (named, "order__end_to_end_id", orders),
        (refused.exclude(batch__message_id=""), "batch__message_id", runs),
    ):
        for owner, currency, told in rows.values_list("merchant_id", "currency", name):
            found[owner, currency] = entry_of[told]
    return found
