"""Try the pending refunds again, those that have waited longest first."""

from datetime import datetime

from core.errors import ApiError
from refunds.models import Refund
from refunds.services import retry_refund
from refunds.statuses import RefundStatus

BATCH = 500


def retry_pending(*, now: datetime, limit: int = BATCH) -> int:
    """Retry pending refunds; return how many are no longer pending."""
    pending = Refund.objects.filter(status=RefundStatus.PENDING).order_by("created_at")
    return sum(_retry(pk, now) for pk in list(pending.values_list("pk", flat=True)[:limit]))


def _retry(refund_id: str, now: datetime) -> bool:
    try:
        return retry_refund(refund_id=refund_id, now=now).status != RefundStatus.PENDING
    except ApiError:
        return False  # another worker was here first
