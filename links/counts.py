"""How many payment links a merchant has: in all, in one status."""

from datetime import datetime
from functools import cache, partial

from core.counts import CountedList, total_by
from core.pagination import Total
from core.prepared import PreparedValues, Shape, place_of_instant, places_of, shape_of
from core.queries import Lookups
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.scoping import CallerKind, Scope

LINKS = CountedList(
    name="payment_links",
    table="links_paymentlink",
    status="{row}.status",
    filters={"status": "status"},
)


def total_of(caller: Scope, filters: Lookups, now: datetime) -> Total | None:
    """Return what says how many of the caller's links a list has; None: the rows must.

    Kept counts know the stored status: those that are overdue are counted as expired here.
    """
    if not LINKS.knows(caller.merchant_id, filters):
        return None
    prepared = _prepared(CallerKind.of(caller), shape_of(filters))
    return partial(prepared.number, merchant_id=caller.merchant_id, now=now, **filters)


@cache
def _prepared(caller: CallerKind, shape: Shape) -> PreparedValues:
    filters = places_of(shape)
    entries = LINKS.entries(caller.merchant_id, filters, livemode=caller.livemode)
    overdue = PaymentLink.objects.visible_to(caller).due_to_expire(place_of_instant("now"))
    if filters.get("status") == LinkStatus.EXPIRED:
        return total_by(entries, plus=overdue)
    if filters.get("status") == LinkStatus.ACTIVE:
        return total_by(entries, minus=overdue)
    return total_by(entries)
