"""The expiry of links, live ones first. The sweep may run twice at once."""

from datetime import datetime

from core.sweeping import sweep
from links.models import PaymentLink
from links.services import expire_link

BATCH = 500


def expire_due(*, now: datetime) -> int:
    """Expire the links whose time has passed; return how many this call expired."""
    due = PaymentLink.objects.due_to_expire(now).order_by("-livemode", "expires_at")

    def expire(link_id: str) -> bool:
        expire_link(link_id=link_id, now=now)
        return True

    return sweep("expire links", expire, list(due.values_list("pk", flat=True)[:BATCH]))
