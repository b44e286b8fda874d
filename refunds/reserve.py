"""What a merchant still owes its customers: reserved, and not paid out."""

from functools import cache

from django.db.models import Sum

from core.prepared import Place, PreparedValues
from refunds.models import Refund


def pending_amount(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return the total of pending refunds, in cents."""
    found = _sum_waiting(livemode=livemode).rows(merchant_id=merchant_id, currency=currency)
    return sum(int(total) for (total,) in found)


@cache
def _sum_waiting(*, livemode: bool) -> PreparedValues:
    waiting = Refund.objects.pending().filter(
        merchant_id=Place("merchant_id"), currency=Place("currency"), livemode=livemode
    )
    sums = waiting.order_by().values("merchant_id").annotate(total=Sum("amount"))
    return PreparedValues(sums.values_list("total"))
