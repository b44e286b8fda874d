"""How many payments a merchant has: in all, in one status, of one mode."""

from datetime import datetime
from functools import cache, partial

from core.counts import CountedList, total_by
from core.pagination import Total
from core.prepared import PreparedValues, Shape, place_of_instant, places_of, shape_of
from core.queries import Lookups
from merchants.scoping import CallerKind, Scope
from payments.models import Payment
from payments.statuses import EXPIRABLE, PaymentStatus

PAYMENTS = CountedList(
    name="payments",
    table="payments_payment",
    status="{row}.status",
    kind="{row}.payment_mode",
    filters={"status": "status", "payment_mode": "kind"},
)


def total_of(caller: Scope, filters: Lookups, now: datetime) -> Total | None:
    """Return what says how many of the caller's payments a list has; None: the rows must.

    Kept counts know the stored status, so those that are overdue are counted as expired here: as
    few as the sweep has not come by yet.
    """
    if not PAYMENTS.knows(caller.merchant_id, filters):
        return None
    prepared = _prepared(CallerKind.of(caller), shape_of(filters))
    return partial(prepared.number, merchant_id=caller.merchant_id, now=now, **filters)


@cache
def _prepared(caller: CallerKind, shape: Shape) -> PreparedValues:
    filters = places_of(shape)
    status = filters.get("status")
    entries = PAYMENTS.entries(caller.merchant_id, filters, livemode=caller.livemode)
    if status != PaymentStatus.EXPIRED and status not in EXPIRABLE:
        return total_by(entries)
    others = {name: value for name, value in filters.items() if name != "status"}
    payments = Payment.objects.visible_to(caller).filter(**others)
    overdue = payments.due_to_expire(place_of_instant("now"))
    if status == PaymentStatus.EXPIRED:
        return total_by(entries, plus=overdue)
    return total_by(entries, minus=overdue.filter(status=status))
