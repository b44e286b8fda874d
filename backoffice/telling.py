"""Whether the shop was told of what became of a payment."""

from dataclasses import dataclass
from datetime import datetime

from payments.models import Payment


@dataclass(frozen=True)
class Telling:
    """One sentence about the webhooks, and whether they are in trouble."""

    words: str
    is_trouble: bool = False


def told_the_shop(payment: Payment, now: datetime) -> Telling | None:
    """Say how the last event of a payment reached the shop. None: nothing to say."""
    return None
