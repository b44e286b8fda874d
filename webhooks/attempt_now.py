"""An attempt made out of turn, while its request waits for the outcome."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from core.concurrency import ConcurrencyLimitReached
from core.database_clock import database_now
from core.errors import Conflict, RateLimited
from webhooks.delivery.leases import claim_delivery
from webhooks.models import Attempt, Delivery
from webhooks.waiting_slots import outcome_slots

POLL_SECONDS = 0.1


@contextmanager
def waiting_slot(*callers: str, is_self_service: bool = False) -> Iterator[None]:
    """Hold a slot for a request that waits for the outcome. Raises RateLimited if none is free."""
    try:
        with outcome_slots.hold(*callers, is_self_service=is_self_service):
            yield
    except ConcurrencyLimitReached:
        reason = "Too many test events are under way."
        raise RateLimited.retry_in(settings.WEBHOOK_TIMEOUT_SECONDS, reason) from None


def attempt_now(delivery_id: str, *, after: int = 0) -> Delivery:
    """Make the attempt after number `after`, unless it was made; return the delivery with it.

    Raises Conflict if another process holds it for longer than an attempt takes. Call it outside a
    transaction.
    """
    from webhooks.delivery.attempts import attempt_and_record  # loads what requests take, 5 MB

    made = Attempt.objects.filter(delivery_id=delivery_id, number__gt=after).exists()
    claim = None if made else claim_delivery(delivery_id, now=database_now())
    if claim is not None:
        attempt_and_record(claim)
    deadline = time.monotonic() + settings.WEBHOOK_TIMEOUT_SECONDS
    while True:
        delivery = Delivery.objects.with_log().one(delivery_id)
        if any(attempt.number > after for attempt in delivery.attempts.all()):
            return delivery
        if delivery.ended_at is not None:
            return delivery
        if time.monotonic() > deadline:
            raise Conflict("The attempt is still under way.")
        time.sleep(POLL_SECONDS)
