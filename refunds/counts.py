"""Kept counts of a merchant's refunds: in total and by status."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value

from core.counts import CountedList
from core.queries import Lookups
from merchants.scoping import Scope
from refunds.models import Refund

REFUNDS = CountedList(
    name="refunds",
    table="refunds_refund",
    status="{row}.status",
    filters={"status": "status"},
    by_day=True,
)


def total_of(caller: Scope, filters: Lookups, now: datetime | Value) -> QuerySet[Any, Any] | None:
    """Return the query for the total of a filtered list; None if the rows have to be counted."""
    refunds = Refund.objects.visible_to(caller)
    parts = REFUNDS.total_parts(
        refunds, caller.merchant_id, filters, livemode=caller.livemode, now=now
    )
    return None if parts is None else parts.total()
