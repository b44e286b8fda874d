"""A test event, sent while the merchant waits for the outcome.

The event and its delivery are committed first, under the Idempotency-Key if there is one; the call
is made after that, in no transaction. A repeated request gets the outcome of the same delivery, and
if the first process died before the call, the repeated request or the sweep makes it.

A waiting request holds a thread of the web server, so at most half of them may wait.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from core.database_clock import database_now
from core.errors import Conflict, RateLimited
from merchants.callers import Caller
from webhooks.delivery.attempts import attempt_and_record
from webhooks.delivery.leases import claim_delivery
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, Event, Webhook
from webhooks.outbox import deliver_to_subscribed, first_delivery, write_event
from webhooks.samples import sample_of

# The request has this long to claim its own delivery before the sweep takes it.
HEAD_START = timedelta(seconds=5)
POLL_SECONDS = 0.1

_slots = threading.BoundedSemaphore(max(1, settings.WEB_THREADS // 2))


@contextmanager
def waiting_slot() -> Iterator[None]:
    """Hold one of the slots for waiting requests. Raises RateLimited where none is free."""
    if not _slots.acquire(blocking=False):
        seconds = settings.WEBHOOK_TIMEOUT_SECONDS
        error = RateLimited(f"Too many test events are under way. Try again in {seconds} seconds.")
        error.headers["Retry-After"] = str(seconds)
        raise error
    try:
        yield
    finally:
        _slots.release()


@transaction.atomic
def start_test_delivery(
    *, caller: Caller, webhook_id: str, event_type: EventType, now: datetime
) -> Delivery:
    """Write a sample event for one endpoint, which `finish_test_delivery` sends.

    Raises WebhookNotFound. Serves POST /v1/webhooks/test, with `finish_test_delivery`.
    """
    webhook = Webhook.objects.visible_to(caller).not_deleted().one(webhook_id)
    data = sample_of(event_type, merchant_id=webhook.merchant_id)
    event = write_event(event_type, about=webhook, data=data, now=now, is_test=True)
    delivery = first_delivery(event, webhook.id, now)
    delivery.next_attempt_at = now + HEAD_START
    delivery.save(force_insert=True)
    return delivery


@dataclass(frozen=True)
class _Sample:
    """The subject of a sample: only its merchant and mode."""

    id: str
    merchant_id: str
    livemode: bool


@transaction.atomic
def send_sample_event(
    *, caller: Caller, event_type: EventType, data: Mapping[str, object], now: datetime
) -> tuple[Event, int]:
    """Send a sample to every endpoint that subscribes to it; return it and their number.

    Raises ValidationFailed without a merchant.
    """
    merchant = caller.owner
    about = _Sample(merchant.id, merchant.id, caller.livemode)
    event = write_event(event_type, about=about, data=data, now=now, is_test=True)
    return event, deliver_to_subscribed(event, now=now)


def finish_test_delivery(delivery_id: str) -> Delivery:
    """Make the attempt, unless it has been made; return the delivery with it.

    Raises Conflict where another request or the sweep holds it for longer than an attempt takes.
    """
    made = Attempt.objects.filter(delivery_id=delivery_id).exists()
    claim = None if made else claim_delivery(delivery_id, now=database_now())
    if claim is not None:
        attempt_and_record(claim)
    deadline = time.monotonic() + settings.WEBHOOK_TIMEOUT_SECONDS
    while True:
        delivery = Delivery.objects.with_log().one(delivery_id)
        if delivery.ended_at is not None or delivery.attempts.all():
            return delivery
        if time.monotonic() > deadline:
            raise Conflict("The attempt is still under way.")
        time.sleep(POLL_SECONDS)
