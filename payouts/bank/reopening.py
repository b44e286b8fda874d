"""Open payouts again after a restore, once nothing that the bank says of our orders waits."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from payouts import continuity
from payouts.errors import BankEntriesWaiting
from payouts.models import BankEntry, BankEntryKind, PayoutOrder
from payouts.order_references import ORDER_NAME, RUN_NAME

# By its form alone: a payout that the restored database has never heard of has our reference, and
# the one that is made in its place will bear the same.
OF_ORDERS = Q(end_to_end_id__iregex=ORDER_NAME) | Q(message_reference__iregex=RUN_NAME)

# A report that an order is on its way or has arrived tells nothing of one that cannot leave again.
OF_DEPARTED = Q(
    kind__in=(BankEntryKind.PROCESSING, BankEntryKind.SETTLED),
    end_to_end_id__in=PayoutOrder.objects.values("end_to_end_id"),
)


@transaction.atomic
def reopen(*, actor: str, now: datetime) -> None:
    """Open payouts again: the bank was asked. Raises BankEntriesWaiting while an answer waits."""
    of_orders = BankEntry.objects.unmatched().named_by_bank().filter(OF_ORDERS, livemode=True)
    waiting = of_orders.exclude(OF_DEPARTED)
    if count := waiting.count():
        first = waiting.order_by("created_at", "id")[0]
        raise BankEntriesWaiting(bank_entries=f"{count}, such as {first.pk}: {first.problem}")
    continuity.confirm(actor=actor, now=now)
