"""How many payment links a merchant has: in all, in one status."""

from datetime import datetime
from functools import partial

from core.counts import CountedList, total
from core.pagination import Total
from core.queries import Lookups
from links.models import PaymentLinkQuerySet
from links.statuses import LinkStatus
from merchants.scoping import Scope

LINKS = CountedList(
    name="payment_links",
    table="links_paymentlink",
    status="{row}.status",
    filters={"status": "status"},
)


def total_of(
    links: PaymentLinkQuerySet, caller: Scope, filters: Lookups, now: datetime
) -> Total | None:
    """Return what says how many of the caller's links a list has; None: the rows must.

    Kept counts know the stored status: those that are overdue are counted as expired here.
    """
    entries = LINKS.entries(caller.merchant_id, filters, livemode=caller.livemode)
    if entries is None:
        return None
    overdue = links.due_to_expire(now)
    if filters.get("status") == LinkStatus.EXPIRED:
        return partial(total, entries, plus=overdue)
    if filters.get("status") == LinkStatus.ACTIVE:
        return partial(total, entries, minus=overdue)
    return partial(total, entries)
