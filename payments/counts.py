"""How many payments a merchant has: in all, in one status, of one mode."""

from datetime import datetime
from functools import partial

from core.counts import CountedList, total
from core.pagination import Total
from core.queries import Lookups
from merchants.scoping import Scope
from payments.models import PaymentQuerySet
from payments.statuses import EXPIRABLE, PaymentStatus

PAYMENTS = CountedList(
    name="payments",
    table="payments_payment",
    status="{row}.status",
    kind="{row}.payment_mode",
    filters={"status": "status", "payment_mode": "kind"},
)


def total_of(
    payments: PaymentQuerySet, caller: Scope, filters: Lookups, now: datetime
) -> Total | None:
    """Return what says how many of the caller's payments a list has; None: the rows must.

    Kept counts know the stored status, so those that are overdue are counted as expired here: as
    few as the sweep has not come by yet.
    """
    entries = PAYMENTS.entries(caller.merchant_id, filters, livemode=caller.livemode)
    status = filters.get("status")
    if entries is None:
        return None
    if status != PaymentStatus.EXPIRED and status not in EXPIRABLE:
        return partial(total, entries)
    others = {name: value for name, value in filters.items() if name != "status"}
    overdue = payments.due_to_expire(now).filter(**others)
    if status == PaymentStatus.EXPIRED:
        return partial(total, entries, plus=overdue)
    return partial(total, entries, minus=overdue.filter(status=status))
