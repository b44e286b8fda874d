"""Find waiting bank entries that contradict our records, and the payouts that they hold back."""

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_

from django.db.models import Q

from payouts.models import (
    BankEntry,
    BankEntryKind,
    BankEntryQuerySet,
    Payout,
    PayoutBatch,
    PayoutOrder,
    PayoutQuerySet,
)
from payouts.order_references import (
    ORDER_REFERENCE,
    end_to_end_id,
    is_batch_reference,
    is_order_reference,
    is_truncated_reference,
    normalize_reference,
)
from payouts.statuses import PayoutStatus

# The kinds of entry that say that an order has left, in statements and in status reports.
_LEFT = (BankEntryKind.DEBIT, BankEntryKind.SETTLED)


def mentioned_by_bank(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return the ids of payouts that the bank mentions in an entry that waits for a person.

    They may have left already, if a restore was noticed, or its files were imported, too late.
    """
    entries = _entries_by_order(livemode=livemode)
    if not entries:
        return set()
    names = ((each.pk, end_to_end_id(each)) for each in payouts.select_related("statement"))
    return {pk for pk, name in names if _entry_of(name, entries)}


def held_back(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return the ids of payouts that must not leave until a person has resolved an entry.

    The entry mentions them, or contradicts our record of an earlier payout of the merchant: its
    money may have been paid and be in the balance again, and so in the next payout.
    """
    held = mentioned_by_bank(payouts, livemode=livemode)
    if contradicted := _contradicted(payouts, livemode=livemode):
        owners = {owner for owner, _ in contradicted}
        rows = payouts.filter(merchant__in=owners).values_list("pk", "merchant_id", "currency")
        held |= {pk for pk, *place in rows if tuple(place) in contradicted}
    return held


def contradiction_of(payout: Payout) -> str:
    """Return the id of the bank's entry that keeps a merchant's payouts from leaving, if any."""
    found = _contradicted(Payout.objects.filter(pk=payout.pk), livemode=payout.livemode)
    return found.get((payout.merchant_id, payout.currency), "")


def contradictions_of(merchant_id: str, *, livemode: bool) -> dict[str, str]:
    """Return, by currency, the bank's entries that keep a merchant's payouts from leaving."""
    waiting = BankEntry.objects.unmatched().named_by_bank().filter(livemode=livemode)
    if not waiting.exclude(end_to_end_id="", message_reference="").exists():
        return {}
    found = _contradicted(Payout.objects.filter(merchant=merchant_id), livemode=livemode)
    return {currency: entry for (owner, currency), entry in found.items() if owner == merchant_id}


def holds_back(entry: BankEntry) -> bool:
    """Return whether an entry holds back payouts, or would if one of them were refused.

    It says that money of one of our orders or batches has left, or names one that is unknown here,
    as after a restore that lost it.
    """
    name = our_reference(entry)
    if not name:
        return False
    orders = PayoutOrder.objects.filter(end_to_end_id=name)
    is_known = orders.exists() or PayoutBatch.objects.filter(message_id__startswith=name).exists()
    return not is_known or (entry.kind in _LEFT and not entry.is_charge)


def our_reference(entry: BankEntry) -> str:
    """Return the reference of the order or batch that an entry names; empty if it names none."""
    if entry.kind == BankEntryKind.CREDIT:
        return ""
    order = normalize_reference(entry.end_to_end_id)
    if is_order_reference(order):
        return order
    batch = normalize_reference(entry.message_reference)
    return batch if is_batch_reference(batch) else ""


def _entries_by_order(*, livemode: bool) -> dict[str, str]:
    """Return the order references named by waiting entries, each with the entry's id."""
    waiting = BankEntry.objects.unmatched().named_by_bank().filter(livemode=livemode)
    of_orders = waiting.filter(end_to_end_id__iregex=ORDER_REFERENCE)
    return _entries_by("end_to_end_id", of_orders)


def _entries_by(field: str, entries: BankEntryQuerySet) -> dict[str, str]:
    """Return entry ids by reference, in our spelling: earlier releases stored the bank's."""
    return {normalize_reference(name): pk for name, pk in entries.values_list(field, "pk")}


def _contradicted(payouts: PayoutQuerySet, *, livemode: bool) -> dict[tuple[str, str], str]:
    """Return, by merchant and currency, waiting entries for payouts that left unknown to us.

    Those are debits and settlements and, for the merchants of these payouts, any entry about a
    payout that we never ordered. An entry for a whole batch counts for its payouts that were
    refused or came back.
    """
    waiting = BankEntry.objects.unmatched().besides_charges()
    departures = waiting.filter(livemode=livemode, kind__in=_LEFT)
    orders = _entries_by("end_to_end_id", departures.exclude(end_to_end_id=""))
    of_orders = Q(end_to_end_id__in=PayoutOrder.objects.values("end_to_end_id"))
    of_batches = departures.exclude(of_orders | Q(end_to_end_id__iregex=ORDER_REFERENCE))
    batches = _entries_by("message_reference", of_batches)
    every = Payout.objects.filter(livemode=livemode).order_by()
    # What is paid and booked is in no balance: a repeated report of it holds nothing back.
    named = every.filter(_bears("order__end_to_end_id", orders)).exclude(
        status=PayoutStatus.PAID, booked_at__isnull=False
    )
    not_paid = (PayoutStatus.FAILED, PayoutStatus.RETURNED)
    of_runs = every.filter(_bears("batch__message_id", batches), status__in=not_paid)
    found = dict(_never_ordered(payouts, livemode=livemode))
    for rows, name, entry_of in (
        (named, "order__end_to_end_id", orders),
        (of_runs.exclude(batch__message_id=""), "batch__message_id", batches),
    ):
        for owner, currency, reference in rows.values_list("merchant_id", "currency", name):
            found[owner, currency] = _entry_of(reference, entry_of)
    return found


def _bears(field: str, names: Iterable[str]) -> Q:
    """Return the condition for rows with one of these references, or whose truncated form it is."""
    cut = (Q(**{f"{field}__startswith": name}) for name in names if is_truncated_reference(name))
    return reduce(or_, cut, Q(**{f"{field}__in": [*names]}))


def _entry_of(name: str, entries: dict[str, str]) -> str:
    """Return the entry with this reference, or with a truncated form of it."""
    begun = (
        entry
        for cut, entry in entries.items()
        if is_truncated_reference(cut) and name.startswith(cut)
    )
    return entries.get(name) or next(begun, "")


def _never_ordered(
    payouts: PayoutQuerySet, *, livemode: bool
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield merchant, currency and entry for payouts that the bank knows and we never ordered.

    They were canceled, or failed, in a database that had been restored to before they left.
    """
    entries = _entries_by_order(livemode=livemode)
    known = PayoutOrder.objects.filter(end_to_end_id__in=entries)
    for name in known.values_list("end_to_end_id", flat=True):
        del entries[name]
    if not entries:
        return
    merchants = payouts.order_by().values("merchant")
    same = Payout.objects.filter(livemode=livemode, merchant__in=merchants, order=None).order_by()
    for each in same.select_related("statement").iterator():
        if entry := _entry_of(end_to_end_id(each), entries):
            yield (each.merchant_id, each.currency), entry
