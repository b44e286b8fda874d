"""Orders that a status report does not name, also as earlier releases have stored them."""

from payouts.bank.pain002 import order_identity
from payouts.bank.recognition import entry_key
from payouts.models import BankEntry, BankEntryQuerySet, BankFile, BankSource


def nameless_orders(file: BankFile) -> BankEntryQuerySet:
    """Return what a status report says of single orders without naming them.

    Known by their keys: earlier releases gave them the reference of the run, as a group has it.
    """
    if file.source != BankSource.STATUS_REPORT:
        return BankEntry.objects.none()
    unnamed = BankEntry.objects.filter(file=file, end_to_end_id="")
    places = range(file.entries.count())
    orders = {entry_key(order_identity(file.message_id, number)) for number in places}
    found = (pk for pk, key in unnamed.values_list("pk", "key") if key in orders)
    return BankEntry.objects.filter(pk__in=list(found))
