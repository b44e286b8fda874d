"""The reserve for pending refunds, which is not paid out to the merchant."""

from typing import Any

from django.db.models import QuerySet, Sum

from refunds.models import Refund


def pending_amounts(merchant_id: str, livemode: bool) -> QuerySet[Refund, Any]:
    """Return the query for totals of a merchant's pending refunds: rows of currency and cents."""
    pending = Refund.objects.pending().filter(merchant_id=merchant_id, livemode=livemode)
    return pending.order_by().values_list("currency").annotate(total=Sum("amount"))
