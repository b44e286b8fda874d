"""How many payment links a merchant has: in all, in one status."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList
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
    """Return the query for how many of the caller's links a list has; None: count the rows.

    Kept counts go by the stored status: links that are overdue are counted as expired here.
    """
    links = PaymentLink.objects.visible_to(caller)
    parts = LINKS.total_parts(links, caller.merchant_id, filters, livemode=caller.livemode, now=now)
    if parts is None:
        return None
    overdue = links.due_to_expire(now)
    if filters.get("status") == LinkStatus.EXPIRED:
        return parts.total(plus=overdue)
    if filters.get("status") == LinkStatus.ACTIVE:
        return parts.total(minus=overdue)
    return parts.total()
