"""What a merchant still owes its customers: it is not paid out before they have it."""

from functools import cache

from django.db.models import Sum

from core.prepared import Place, PreparedValues
from refunds.models import Refund


def waiting_amount(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return what the refunds that wait for the merchant's balance add up to, in cents."""
    found = _sum_waiting(livemode=livemode).rows(merchant_id=merchant_id, currency=currency)
    return sum(int(total) for (total,) in found)


@cache
def _sum_waiting(*, livemode: bool) -> PreparedValues:
    waiting = Refund.objects.pending().filter(
        merchant_id=Place("merchant_id"), currency=Place("currency"), livemode=livemode
    )
    sums = waiting.order_by().values("merchant_id").annotate(total=Sum("amount"))
    return PreparedValues(sums.values_list("total"))
