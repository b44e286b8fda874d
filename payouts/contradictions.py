"""What the bank says otherwise than we know, in entries that wait, and which payouts that keeps."""

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
    ORDER_NAME,
    end_to_end_id,
    in_our_spelling,
    is_cut_name,
    is_order_name,
    is_run_name,
)
from payouts.statuses import PayoutStatus

# What the bank says of an order that has left, in statements and in status reports.
_LEFT = (BankEntryKind.DEBIT, BankEntryKind.SETTLED)


def spoken_of(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return which of these the bank speaks of in an entry that waits for a person.

    They may have left already: before a restore that was noticed late, or whose files were.
    """
    told = _told_of_orders(livemode=livemode)
    if not told:
        return set()
    names = ((each.pk, end_to_end_id(each)) for each in payouts.select_related("statement"))
    return {pk for pk, name in names if _entry_of(name, told)}


def held_back(payouts: PayoutQuerySet, *, livemode: bool) -> set[str]:
    """Return which of these do not leave until a person has explained what the bank says.

    It speaks of them, or has booked an earlier payout of the merchant otherwise than we know: what
    it has paid may be in the balance again, and so in the next payout.
    """
    held = spoken_of(payouts, livemode=livemode)
    if contradicted := _contradicted(payouts, livemode=livemode):
        owners = {owner for owner, _ in contradicted}
        rows = payouts.filter(merchant__in=owners).values_list("pk", "merchant_id", "currency")
        held |= {pk for pk, *place in rows if tuple(place) in contradicted}
    return held


def contradiction_of(payout: Payout) -> str:
    """Return the id of the bank's entry that keeps a merchant's payouts from leaving, if any."""
    found = _contradicted(Payout.objects.filter(pk=payout.pk), livemode=payout.livemode)
    return found.get((payout.merchant_id, payout.currency), "")


def holds_back(entry: BankEntry) -> bool:
    """Return whether payouts wait for what is said of an entry, or would if one were refused.

    It says that money of an order or a run of ours has left, or speaks of one that is not known
    here: one that a restored database has forgotten looks like that.
    """
    name = name_of_ours(entry)
    if not name:
        return False
    orders = PayoutOrder.objects.filter(end_to_end_id=name)
    is_known = orders.exists() or PayoutBatch.objects.filter(message_id__startswith=name).exists()
    return not is_known or (entry.kind in _LEFT and not entry.is_charge)


def name_of_ours(entry: BankEntry) -> str:
    """Return the name of the order or run that an entry speaks of; empty where it names none."""
    if entry.kind == BankEntryKind.CREDIT:
        return ""
    order, run = in_our_spelling(entry.end_to_end_id), in_our_spelling(entry.message_reference)
    if is_order_name(order):
        return order
    return run if is_run_name(run) else ""


def _told_of_orders(*, livemode: bool) -> dict[str, str]:
    """Return the name of each order that an entry which waits speaks of, with that entry."""
    waiting = BankEntry.objects.unmatched().named_by_bank().filter(livemode=livemode)
    of_orders = waiting.filter(end_to_end_id__iregex=ORDER_NAME)
    return _entries_by("end_to_end_id", of_orders)


def _entries_by(field: str, entries: BankEntryQuerySet) -> dict[str, str]:
    """Return entries by a name in our spelling: earlier releases stored what the bank had made."""
    return {in_our_spelling(name): pk for name, pk in entries.values_list(field, "pk")}


def _contradicted(payouts: PayoutQuerySet, *, livemode: bool) -> dict[tuple[str, str], str]:
    """Return, by merchant and currency, the waiting entry by which a payout has left unknown to us.

    It is a debit or a settlement, or whatever is said of one that we never ordered, for
    the merchants of these payouts. One of a whole run is about what was refused of it.
    """
    waiting = BankEntry.objects.unmatched().besides_charges()
    said = waiting.filter(livemode=livemode, kind__in=_LEFT)
    orders = _entries_by("end_to_end_id", said.exclude(end_to_end_id=""))
    of_runs = said.exclude(end_to_end_id__in=PayoutOrder.objects.values("end_to_end_id"))
    runs = _entries_by("message_reference", of_runs)
    every = Payout.objects.filter(livemode=livemode).order_by()
    # What is paid and booked is in no balance: a statement that tells of it again keeps nothing.
    named = every.filter(_bears("order__end_to_end_id", orders)).exclude(
        status=PayoutStatus.PAID, booked_at__isnull=False
    )
    refused = every.filter(_bears("batch__message_id", runs), status=PayoutStatus.FAILED)
    found = dict(_never_ordered(payouts, livemode=livemode))
    for rows, name, entry_of in (
        (named, "order__end_to_end_id", orders),
        (refused.exclude(batch__message_id=""), "batch__message_id", runs),
    ):
        for owner, currency, told in rows.values_list("merchant_id", "currency", name):
            found[owner, currency] = _entry_of(told, entry_of)
    return found


def _bears(field: str, names: Iterable[str]) -> Q:
    """Return what selects rows that bear one of these names, or one that begins with a cut one."""
    cut = (Q(**{f"{field}__startswith": name}) for name in names if is_cut_name(name))
    return reduce(or_, cut, Q(**{f"{field}__in": [*names]}))


def _entry_of(name: str, told: dict[str, str]) -> str:
    """Return the entry that bears a name, or the beginning of it that the bank has left."""
    begun = (entry for cut, entry in told.items() if is_cut_name(cut) and name.startswith(cut))
    return told.get(name) or next(begun, "")


def _never_ordered(
    payouts: PayoutQuerySet, *, livemode: bool
) -> Iterator[tuple[tuple[str, str], str]]:
    """Find what the bank knows under the name that it would have left with, and we never ordered.

    It was canceled, or failed, in a database that had been set back to before it left.
    """
    told = _told_of_orders(livemode=livemode)
    known = PayoutOrder.objects.filter(end_to_end_id__in=told)
    for name in known.values_list("end_to_end_id", flat=True):
        del told[name]
    if not told:
        return
    merchants = payouts.order_by().values("merchant")
    same = Payout.objects.filter(livemode=livemode, merchant__in=merchants, order=None).order_by()
    for each in same.select_related("statement").iterator():
        if entry := _entry_of(end_to_end_id(each), told):
            yield (each.merchant_id, each.currency), entry
