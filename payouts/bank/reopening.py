"""Reopen payouts after a restore, once no bank entry about our orders is waiting."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from payouts import continuity
from payouts.errors import BankEntriesWaiting
from payouts.models import BankEntry, BankEntryKind, PayoutOrder
from payouts.order_references import BATCH_REFERENCE, ORDER_REFERENCE

# By its form alone: a payout that the restored database does not know has one of our references,
# and the payout that will be created in its place gets the same one.
OF_ORDERS = Q(end_to_end_id__iregex=ORDER_REFERENCE) | Q(message_reference__iregex=BATCH_REFERENCE)

# Reports of progress or arrival do not matter for an order known here: it cannot leave again.
OF_DEPARTED = Q(
    kind__in=(BankEntryKind.PROCESSING, BankEntryKind.SETTLED),
    end_to_end_id__in=PayoutOrder.objects.values("end_to_end_id"),
)


@transaction.atomic
def reopen(*, actor: str, now: datetime) -> None:
    """Reopen payouts after a check with the bank. Raises BankEntriesWaiting while entries wait."""
    of_orders = BankEntry.objects.unmatched().named_by_bank().filter(OF_ORDERS, livemode=True)
    waiting = of_orders.exclude(OF_DEPARTED)
    if count := waiting.count():
        first = waiting.order_by("created_at", "id")[0]
        raise BankEntriesWaiting(bank_entries=f"{count}, such as {first.pk}: {first.problem}")
    continuity.confirm(actor=actor, now=now)
