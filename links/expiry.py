"""What time does to links: they expire. The sweep may run twice at once."""

from datetime import datetime

from core.errors import ApiError
from links.models import PaymentLink
from links.services import expire_link

BATCH = 500


def expire_due(*, now: datetime, limit: int = BATCH) -> int:
    """Expire the links whose time has passed; return how many this call expired."""
    due = PaymentLink.objects.due_to_expire(now).order_by("expires_at")
    expired = 0
    for link_id in list(due.values_list("pk", flat=True)[:limit]):
        try:
            expire_link(link_id=link_id, now=now)
        except ApiError:
            continue  # another worker was here first
        expired += 1
    return expired
