"""Orders that a status report does not name, including those stored by earlier releases."""

from functools import lru_cache

from payouts.bank.pain002 import order_identity
from payouts.bank.recognition import entry_key
from payouts.models import BankEntry, BankEntryQuerySet, BankFile, BankSource


def nameless_orders(file: BankFile) -> BankEntryQuerySet:
    """Return a status report's entries about single orders that it does not name.

    Identified by key: earlier releases gave them the batch's reference, like an entry for a group.
    """
    unnamed = BankEntry.objects.filter(file=file, end_to_end_id="")
    orders = _keys_of(file)
    found = (pk for pk, key in unnamed.values_list("pk", "key") if key in orders)
    return BankEntry.objects.filter(pk__in=list(found))


def is_nameless(entry: BankEntry) -> bool:
    """Return whether an entry is about a single order that a status report does not name."""
    if entry.source != BankSource.STATUS_REPORT or entry.end_to_end_id:
        return False
    # An entry for a group carries the reference of its batch.
    return not entry.message_reference or entry.key in _keys_of(entry.file)


def _keys_of(file: BankFile) -> frozenset[str]:
    return _keys(file.message_id, file.entries.count())


@lru_cache(maxsize=4)  # needed again for each entry of a file
def _keys(message_id: str, count: int) -> frozenset[str]:
    """Return the keys of the first `count` orders of a report."""
    return frozenset(entry_key(order_identity(message_id, number)) for number in range(count))
