"""How many refunds a merchant has: in all, in one status."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList, total_by
from core.queries import Lookups
from merchants.scoping import Scope

REFUNDS = CountedList(
    name="refunds",
    table="refunds_refund",
    status="{row}.status",
    filters={"status": "status"},
)


def total_of(caller: Scope, filters: Lookups, now: datetime | Value) -> QuerySet[Any, Any] | None:
    """Return the query of how many of the caller's refunds a list has; None: count the rows."""
    if not REFUNDS.knows(caller.merchant_id, filters):
        return None
    return total_by(REFUNDS.entries(caller.merchant_id, filters, livemode=caller.livemode))
