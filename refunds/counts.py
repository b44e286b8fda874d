"""How many refunds a merchant has: in all, in one status."""

from core.counts import CountedList

REFUNDS = CountedList(
    name="refunds",
    table="refunds_refund",
    status="{row}.status",
    filters={"status": "status"},
)
