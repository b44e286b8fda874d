"""An attempt made while its request waits for the outcome, out of turn.

A waiting request holds a thread of the web server, so at most half of them may wait, and few for
any one caller, to leave places for the others.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from core.database_clock import database_now
from core.errors import Conflict, RateLimited
from webhooks.delivery.leases import claim_delivery
from webhooks.models import Attempt, Delivery
from webhooks.waiting_places import WaitingPlaces

POLL_SECONDS = 0.1

waiting_places = WaitingPlaces(max(1, settings.WEB_THREADS // 2))


@contextmanager
def waiting_slot(*callers: str, is_self_service: bool = False) -> Iterator[None]:
    """Hold one of the places for waiting requests. Raises RateLimited if none is free."""
    with waiting_places.place(*callers, is_self_service=is_self_service) as has_place:
        if not has_place:
            raise _none_is_free()
        yield


def _none_is_free() -> RateLimited:
    seconds = settings.WEBHOOK_TIMEOUT_SECONDS
    error = RateLimited(f"Too many test events are under way. Try again in {seconds} seconds.")
    error.headers["Retry-After"] = str(seconds)
    return error


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
