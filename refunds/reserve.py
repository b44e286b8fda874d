"""What a merchant still owes its customers: reserved, and not paid out."""

from django.db.models import Sum

from refunds.models import Refund
from refunds.statuses import RefundStatus


def pending_amount(merchant_id: str, currency: str, livemode: bool) -> int:
    """Return the total of pending refunds, in cents."""
    waiting = Refund.objects.filter(
        merchant_id=merchant_id,
        currency=currency,
        livemode=livemode,
        status=RefundStatus.PENDING,
    )
    return int(waiting.aggregate(total=Sum("amount"))["total"] or 0)
