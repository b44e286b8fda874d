"""What a merchant still owes its customers: reserved, and not paid out."""

from typing import Any

from django.db.models import QuerySet, Sum

from refunds.models import Refund


def pending_amounts(merchant_id: str, livemode: bool) -> QuerySet[Refund, Any]:
    """Return the query for the totals of pending refunds: rows of currency and cents."""
    pending = Refund.objects.pending().filter(merchant_id=merchant_id, livemode=livemode)
    return pending.order_by().values_list("currency").annotate(total=Sum("amount"))
