"""Payments through a link, as far as the link hears of them."""

from datetime import datetime

from django.db import transaction

from core.clock import utc_now
from core.ids import new_id
from links.services import record_use


@transaction.atomic
def use(link_id: str, *, amount: int = 1250, at: datetime | None = None) -> str:
    """Pay through a link; return the payment's id."""
    at = at or utc_now()
    payment_id = new_id("pay", at)
    record_use(link_id, payment_id=payment_id, amount=amount, now=at)
    return payment_id
