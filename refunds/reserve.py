"""What a merchant still owes its customers: it is not paid out before they have it."""

from django.db.models import Sum

from refunds.models import Refund
from refunds.statuses import RefundStatus


def pending_amount(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return what the refunds that wait for the merchant's balance add up to, in cents."""
    waiting = Refund.objects.filter(
        merchant_id=merchant_id,
        currency=currency,
        livemode=livemode,
        status=RefundStatus.PENDING,
    )
    return int(waiting.aggregate(total=Sum("amount"))["total"] or 0)
