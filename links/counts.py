"""How many payment links a merchant has: in all, in one status."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList, total_by
from core.queries import Lookups
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.scoping import Scope

LINKS = CountedList(
    name="payment_links",
    table="links_paymentlink",
    status="{row}.status",
    filters={"status": "status"},
)


def total_of(caller: Scope, filters: Lookups, now: datetime | Value) -> QuerySet[Any, Any] | None:
    """Return the query of how many of the caller's links a list has; None: count the rows.

    Kept counts know the stored status: those that are overdue are counted as expired here.
    """
    if not LINKS.knows(caller.merchant_id, filters):
        return None
    entries = LINKS.entries(caller.merchant_id, filters, livemode=caller.livemode)
    overdue = PaymentLink.objects.visible_to(caller).due_to_expire(now)
    if filters.get("status") == LinkStatus.EXPIRED:
        return total_by(entries, plus=overdue)
    if filters.get("status") == LinkStatus.ACTIVE:
        return total_by(entries, minus=overdue)
    return total_by(entries)
